import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Rights that the user is asked for.
@Suite struct AskedRightTests {
  private let fixture = BridgeFixture(messages: [BridgeFixture.message(7, "hi")])
  private let grants = TestGrants()
  private static let question = "messages.read in alice@example.org"

  @Test func `a right that is given once is asked for again`() async throws {
    grants.answer(.readMessages, .held(.all))
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      for _ in 0..<2 { try await client.call("messages.get", #"{"message":"7"}"#) }
      #expect(grants.questions.value == [Self.question, Self.question])
      #expect(try await client.call("permissions.list")["permissions"] == .array([]))
      grants.give(.readMessages)
      try await client.call("messages.get", #"{"message":"7"}"#)
      #expect(grants.questions.value.count == 2)
      // Each use is noted, whether the user was asked or not.
      #expect(grants.uses.value == Array(repeating: Self.question, count: 3))
    }
  }

  @Test(arguments: [
    BridgeRights.Reason.declined, .notAnswered, .notAsked, .notDeclared, .revoked, .policy,
  ])
  func `a right that is not given is an error with its reason`(
    reason: BridgeRights.Reason
  ) async throws {
    grants.answer(.readMessages, .refused(reason))
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      for (method, parameters) in [
        ("messages.get", #"{"message":"7"}"#),
        ("events.subscribe", #"{"events":["message.new"]}"#),
      ] {
        let error = try await client.failure(of: method, parameters)
        #expect(error["code"] == .integer(-32001))
        #expect(error["data"]?["permission"] == .text("messages.read"))
        #expect(error["data"]?["scope"] == .text("all"))
        #expect(error["data"]?["reason"] == .text(reason.rawValue))
      }
    }
  }

  @Test func `each change of contacts is asked about, also with the right`() async throws {
    grants.give(.changeContacts)
    let eve = #"{"address":"eve@example.org/phone"}"#
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      for method in ["contacts.add", "contacts.block", "contacts.unblock"] {
        try await client.call(method, eve)
      }
      grants.refusal.update { $0 = .declined }
      let error = try await client.failure(
        of: "contacts.remove", #"{"address":"bob@example.org"}"#)
      #expect(error["code"] == .integer(-32001))
      #expect(error["data"]?["reason"] == .text("declined"))
      #expect(error["data"]?["scope"] == .text("bob@example.org"))
      // What fails all the same is not asked about.
      #expect(try await client.code(of: "contacts.remove", eve) == -32004)
    }
    #expect(
      grants.changes.value == [
        "add eve@example.org in alice@example.org", "block eve@example.org in alice@example.org",
        "unblock eve@example.org in alice@example.org",
        "remove bob@example.org in alice@example.org",
      ])
    #expect(
      await fixture.ports.calls == [
        "add eve@example.org", "block eve@example.org -", "unblock eve@example.org",
      ])
  }

  @Test func `a request that waits for the user holds up no other`() async throws {
    grants.give(.sendMessages)
    grants.give(.readConversations)
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let reading = client.ask("messages.get", #"{"message":"7"}"#)
      let subscribing = client.ask("events.subscribe", #"{"events":["message.new"]}"#)
      #expect(await grants.questions.waits { $0.count == 2 })
      // Of the lane for what is stored, and of that for messages.
      try await client.call("conversations.list")
      let sent = (0..<3).map {
        client.ask("messages.send", #"{"conversation":"bob@example.org","body":"\#($0)"}"#)
      }
      for id in sent { #expect(try await client.answer(to: id)["result"] != nil) }
      #expect(await fixture.ports.messages.suffix(3).map(\.body) == ["0", "1", "2"])
      grants.answer(.readMessages, .held(.all))
      let read = try await client.answer(to: reading)
      #expect(read["result"]?["message"]?["body"] == .text("hi"))
      let begun = try await client.answer(to: subscribing)
      #expect(begun["result"]?["subscription"] == .text("s1"))
    }
  }

  @Test
  func `nobody is asked about parameters that are not valid, or an account that is not there`()
    async throws
  {
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      #expect(try await client.code(of: "messages.get", #"{"message":"x"}"#) == -32602)
      let error = try await client.failure(
        of: "messages.get", #"{"account":"eve@example.org","message":"7"}"#)
      #expect(error["code"] == .integer(-32001))
      #expect(error["data"]?["reason"] == .text("not-asked"))
      #expect(grants.questions.value.isEmpty)
    }
  }

  @Test func `a question whose request is cancelled has that for an answer`() async throws {
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let id = client.ask("messages.get", #"{"message":"7"}"#)
      #expect(await grants.questions.waits { $0.count == 1 })
      try await client.call("cancel", #"{"id":\#(id)}"#)
      #expect(try await client.answer(to: id)["error"]?["code"] == .integer(-32009))
    }
  }

  @Test func `without an account, those in which the right is held are meant`() async throws {
    let work = JID(local: "alice", domain: "work.example")
    grants.give(.readMessages, in: work)
    grants.give(.readConversations)
    try await fixture.serve([fixture.account(), fixture.account(work)], for: grants.client) {
      client in
      try await client.greet()
      let begun = try await client.call("events.subscribe", #"{"events":["message.new"]}"#)
      #expect(begun["after"] == .object(["alice@work.example": .integer(7)]))
      let accounts = try await client.call("accounts.list")["accounts"]?.elements
      #expect(accounts?.compactMap { $0["account"]?.string } == ["alice@example.org"])
      #expect(grants.questions.value.isEmpty)
      // Where it is held in none, the questions end with the first refusal.
      grants.answer(.readContacts, .refused(.declined))
      #expect(try await client.code(of: "contacts.list") == -32001)
      #expect(grants.questions.value == ["contacts.read in alice@example.org"])
      // Nobody is asked for a request that cannot be performed.
      #expect(
        try await client.code(of: "rooms.leave", #"{"conversation":"tea@rooms.example.org"}"#)
          == -32001)
      grants.give(.changeRooms)
      let error = try await client.failure(
        of: "rooms.leave", #"{"conversation":"tea@rooms.example.org"}"#)
      #expect(error["data"]?["path"] == .text("account"))
      #expect(grants.questions.value.count == 1)
    }
  }

  @Test func `a contact without a conversation is in the scope for those who may know them`()
    async throws
  {
    let amy = JID(local: "amy", domain: "example.org")
    let fixture = BridgeFixture(contacts: [Contact(jid: amy, subscription: .both)])
    grants.give(.readMessages, BridgeScope(hasDirect: true))
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      let parameters = #"{"conversation":"amy@example.org"}"#
      #expect(try await client.code(of: "messages.history", parameters) == -32001)
      grants.give(.readContacts)
      let history = try await client.call("messages.history", parameters)
      #expect(history["messages"] == .array([]))
    }
  }

  @Test(arguments: [BridgeScope(hasDirect: true), BridgeScope(hasRooms: true)])
  func `outside of the scope, what exists answers as what does not`(
    scope: BridgeScope
  ) async throws {
    grants.give(.readMessages, scope)
    let (known, unknown) =
      scope.hasDirect ? ("tea@rooms", "cha@rooms") : ("bob@", "eve@")
    try await fixture.serve(for: grants.client) { client in
      try await client.greet()
      var answers: Set<String> = []
      for name in [known, unknown] {
        let address = name.hasSuffix("@") ? name + "example.org" : name + ".example.org"
        let error = try await client.failure(
          of: "messages.history", #"{"conversation":"\#(address)"}"#)
        #expect(error["code"] == .integer(-32001))
        answers.insert(error.text.replacing(address, with: "x"))
      }
      #expect(answers.count == 1)
    }
  }
}
