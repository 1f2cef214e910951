import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// The groups of methods, except for those that send and those of messages.
@Suite struct MethodTests {
  private let fixture = BridgeFixture(messages: [BridgeFixture.message(1, "tea")])

  @Test func `accounts and conversations`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      #expect(
        try await client.call("accounts.list")["accounts"]
          == .array([
            .object(["account": .text("alice@example.org"), "state": .text("online")])
          ]))
      let list = try await client.call("conversations.list")["conversations"]?.elements
      #expect(
        list?.compactMap { $0["conversation"]?.string } == [
          "bob@example.org", "tea@rooms.example.org",
        ])
      #expect(list?.first?["unread"] == .integer(2))
      let parameters = #"{"conversation":"bob@example.org"}"#
      let read = try await client.call("conversations.mark_read", parameters)
      #expect(read["conversation"]?["unread"] == .integer(0))
      try await client.call("conversations.hide", parameters)
      #expect(try await client.code(of: "conversations.get", parameters) == -32004)
      #expect(try await client.code(of: "conversations.mark_read", parameters) == -32004)
      let opened = try await client.call("conversations.open", parameters)
      #expect(opened["conversation"]?["kind"] == .text("direct"))
    }
  }

  @Test func `drafts`() async throws {
    let events = fixture.hub.events()
    try await fixture.serve { client in
      try await client.greet()
      let head = #"{"conversation":"bob@example.org","text":"#
      #expect(
        try await client.call("messages.draft", head + #""hello"}"#)["text"] == .text("hello"))
      #expect(await fixture.ports.drafts[BridgeFixture.bob] == "hello")
      let drafts = try await client.call("drafts")["drafts"]
      guard case .array(let drafts)? = drafts else {
        Issue.record("\(drafts as Any)")
        return
      }
      #expect(drafts.map { $0["text"] } == [.text("hello")])
    }
    #expect(await events.published(on: fixture.hub).count == 1)
  }

  @Test func `contacts`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      let list = try await client.call("contacts.list")["contacts"]?.elements
      #expect(list?.first?["name"] == .text("Bob"))
      let bob = #"{"address":"bob@example.org/phone"}"#
      let found = try await client.call("contacts.get", bob)
      #expect(found["contact"]?["subscription"] == .text("both"))
      let eve = #"{"address":"eve@example.org","message":"hi"}"#
      #expect(try await client.code(of: "contacts.get", eve) == -32004)
      #expect(try await client.call("contacts.add", eve)["pending"] == .boolean(false))
      await fixture.ports.setConnection(.offline)
      #expect(try await client.call("contacts.remove", bob)["pending"] == .boolean(true))
      #expect(try await client.call("contacts.block", eve)["pending"] == .boolean(true))
      #expect(try await client.call("contacts.unblock", eve)["pending"] == .boolean(true))
      #expect(try await client.code(of: "contacts.remove", eve) == -32004)
      for own in ["alice@example.org", "example.org"] {
        #expect(try await client.code(of: "contacts.add", #"{"address":"\#(own)"}"#) == -32602)
      }
    }
    #expect(
      await fixture.ports.calls == [
        "add eve@example.org hi", "remove bob@example.org", "block eve@example.org -",
        "unblock eve@example.org",
      ])
  }

  @Test func `a long list comes in pages`() async throws {
    let contacts = (1000..<2200).map {
      Contact(
        jid: JID(local: "c\($0)", domain: "example.org"), name: String(repeating: "x", count: 1000))
    }
    try await BridgeFixture(contacts: contacts).serve { client in
      try await client.greet()
      var addresses: [String] = []
      for hasMore in [true, false] {
        let page = try await client.call("contacts.list", #"{"skip":\#(addresses.count)}"#)
        #expect(page["more"] == .boolean(hasMore))
        addresses += page["contacts"]?.elements?.compactMap { $0["address"]?.string } ?? []
      }
      #expect(addresses == contacts.map(\.jid.description))
      let rest = try await client.call("contacts.list", #"{"skip":1200}"#)
      #expect(rest == .object(["contacts": .array([]), "more": .boolean(false)]))
    }
  }

  @Test func `many accounts come in pages, too`() async throws {
    let padding = String(repeating: "x", count: 995)
    let jids = (1000..<2000).map { JID(local: "a\($0)\(padding)", domain: "example.org") }
    try await fixture.serve(jids.map { fixture.account($0) }) { client in
      try await client.greet()
      var addresses: [String] = []
      for hasMore in [true, false] {
        let page = try await client.call("accounts.list", #"{"skip":\#(addresses.count)}"#)
        #expect(page["more"] == .boolean(hasMore))
        addresses += page["accounts"]?.elements?.compactMap { $0["account"]?.string } ?? []
      }
      #expect(addresses == jids.map(\.description))
      #expect(try await client.code(of: "accounts.list", #"{"skip":-1}"#) == -32602)
    }
  }

  @Test func `presence`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call(
        "presence.set", #"{"availability":"dnd","status":"busy","priority":-5}"#)
      let all = try await client.call("presence.get")
      #expect(
        all["own"]
          == .object([
            "availability": .text("dnd"), "status": .text("busy"), "priority": .integer(-5),
          ]))
      #expect(all["contacts"]?.elements?.first?["availability"] == .text("dnd"))
      let eve = try await client.call("presence.get", #"{"address":"eve@example.org"}"#)
      #expect(eve["contact"]?["availability"] == .text("offline"))
      #expect(try await client.code(of: "presence.set", #"{"availability":"offline"}"#) == -32602)
    }
  }

  @Test func `rooms and their moderation`() async throws {
    let room = #""conversation":"tea@rooms.example.org""#
    try await fixture.serve { client in
      try await client.greet()
      let list = try await client.call("rooms.list")["rooms"]?.elements
      #expect(list?.first?["state"] == .text("joined"))
      let members = try await client.call("rooms.members", "{\(room)}")["occupants"]?.elements
      #expect(members?.compactMap { $0["nick"]?.string } == ["al", "carol"])
      #expect(try await client.code(of: "rooms.get", #"{"conversation":"x@y.z"}"#) == -32004)
      try await client.call("rooms.join", #"{\#(room),"nick":"al","password":"p"}"#)
      try await client.call("rooms.topic", #"{\#(room),"topic":"Tea"}"#)
      try await client.call("rooms.nick", #"{\#(room),"nick":"ally"}"#)
      try await client.call("rooms.invite", #"{\#(room),"address":"bob@example.org/x"}"#)
      try await client.call("rooms.kick", #"{\#(room),"nick":"bo","reason":"r"}"#)
      try await client.call("rooms.role", #"{\#(room),"nick":"bo","role":"visitor"}"#)
      try await client.call("rooms.ban", #"{\#(room),"occupant":"eve@example.org"}"#)
      try await client.call(
        "rooms.affiliation", #"{\#(room),"occupant":"bo","affiliation":"member"}"#)
      let left = try await client.call("rooms.leave", "{\(room)}")
      #expect(left["room"]?["nick"] == .text("al"))
      #expect(
        try await client.code(of: "rooms.role", #"{\#(room),"nick":"bo","role":"king"}"#) == -32602)
    }
    #expect(
      await fixture.rooms.calls == [
        "join tea@rooms.example.org al p", "topic Tea", "nick ally", "invite bob@example.org",
        "role bo none r", "role bo visitor", "affiliation eve@example.org outcast",
        "affiliation bo member", "leave tea@rooms.example.org",
      ])
  }

  @Test func `the account is released, and the program ended after the answer`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      try await client.call("account.release")
      #expect(fixture.control.calls.value == ["release alice@example.org"])
      try await client.call("shutdown")
      #expect(await fixture.control.calls.waits { $0.last == "shutdown" })
    }
  }

  @Test func `without services only stored data is read`() async throws {
    try await fixture.serve([fixture.account(isRunning: false)]) { client in
      try await client.greet()
      let conversation = #"{"conversation":"bob@example.org"}"#
      let history = try await client.call("messages.history", conversation)
      #expect(history["messages"]?.elements?.count == 1)
      try await client.call("contacts.list")
      for method in ["conversations.mark_read", "conversations.hide", "conversations.open"] {
        #expect(try await client.code(of: method, conversation) == -32011)
      }
      #expect(
        try await client.code(
          of: "messages.send", #"{"conversation":"bob@example.org","body":"x"}"#) == -32011)
      #expect(try await client.code(of: "rooms.list") == -32011)
    }
  }

  @Test func `with several accounts a method of one names it`() async throws {
    let other = JID(local: "bot", domain: "example.net")
    try await fixture.serve([fixture.account(), fixture.account(other)]) { client in
      try await client.greet()
      let rest = #""conversation":"bob@example.org"}"#
      let error = try await client.failure(of: "conversations.get", "{" + rest)
      #expect(error["data"]?["path"] == .text("account"))
      let found = try await client.call(
        "conversations.get", #"{"account":"bot@example.net","# + rest)
      #expect(found["conversation"]?["account"] == .text("bot@example.net"))
      #expect(
        try await client.code(
          of: "conversations.get", #"{"account":"eve@example.net","# + rest) == -32004)
      #expect(try await client.call("contacts.list")["contacts"]?.elements?.count == 2)
    }
  }
}
