import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService

/// Reading messages.
@Suite struct HistoryMethodTests {
  private let fixture = BridgeFixture(
    messages: (1...6).map { BridgeFixture.message($0, "tea \($0)", at: Double($0)) })
  private static let head = #"{"conversation":"bob@example.org","#

  private func ids(_ result: JSONValue) -> [String] {
    result["messages"]?.elements?.compactMap { $0["id"]?.string } ?? []
  }

  @Test func `pages of a history`() async throws {
    try await fixture.serve { client in
      try await client.greet()
      func history(_ rest: String) async throws -> JSONValue {
        try await client.call("messages.history", Self.head + rest + "}")
      }
      let newest = try await history(#""limit":2"#)
      #expect(ids(newest) == ["5", "6"])
      #expect(newest["more"] == .boolean(true))
      let older = try await history(#""limit":9,"before":"5""#)
      #expect(ids(older) == ["1", "2", "3", "4"])
      #expect(older["more"] == .boolean(false))
      #expect(ids(try await history(#""limit":2,"after":"2""#)) == ["3", "4"])
      #expect(ids(try await history(#""before":"5","after":"2""#)) == ["3", "4"])
      let bad = [
        (#""before":"77"}"#, -32004), (#""limit":501}"#, -32602), (#""limit":0}"#, -32602),
      ]
      for (rest, code) in bad {
        #expect(try await client.code(of: "messages.history", Self.head + rest) == code)
      }
      #expect(
        try await client.code(of: "messages.history", #"{"conversation":"eve@example.org"}"#)
          == -32004)
    }
  }

  @Test func `a contact without messages is known only with the right for contacts`() async throws {
    let fixture = BridgeFixture(
      contacts: [Contact(jid: JID(local: "amy", domain: "example.org"), subscription: .both)])
    let names = ["amy", "eve"].map { #"{"conversation":"\#($0)@example.org"}"# }
    try await fixture.serve { client in
      try await client.greet()
      #expect(try await client.call("messages.history", names[0])["messages"] == .array([]))
    }
    for scope in [nil, BridgeScope(), BridgeScope(["eve@example.org"])] {
      var options = fixture.options()
      options.rights = { _ in
        BridgeRights(held: { permission, _ in
          switch permission {
          case .readMessages: .held(.all)
          case .readContacts: scope.map { .held($0) } ?? .refused(.notDeclared)
          default: .refused(.notDeclared)
          }
        })
      }
      try await fixture.serve(nil, options) { client in
        try await client.greet()
        let contact = try await client.failure(of: "messages.history", names[0])
        #expect(contact["code"] == .integer(-32004))
        #expect(contact == (try await client.failure(of: "messages.history", names[1])))
      }
    }
  }

  @Test func `a history names its gaps, and is fetched on request`() async throws {
    let hole = HistoryHole(
      after: BridgeFixture.start.addingTimeInterval(3),
      before: BridgeFixture.start.addingTimeInterval(4), count: 7)
    await fixture.history.answer(.fetched, .beginning, holes: [hole])
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call("messages.history", Self.head + #""limit":50}"#)
      #expect(result["holes"]?.elements?.first?["count"] == .integer(7))
      #expect(result["beginning"] == .boolean(false))
      // The page begins after the gap.
      let newest = try await client.call("messages.history", Self.head + #""limit":2}"#)
      #expect(newest["holes"] == .array([]))
      let fetching = Self.head + #""limit":50,"fetch":true}"#
      let fetched = try await client.call("messages.history", fetching)
      #expect(fetched["holes"] == .array([]))
      #expect(fetched["beginning"] == .boolean(true))
      #expect(await fixture.history.requests == ["missing", "older"])
      await fixture.history.answer(.offline)
      #expect(try await client.code(of: "messages.history", fetching) == -32006)
      // While the session is being set up, the request waits for it.
      await fixture.history.answer(.offline, .beginning)
      await fixture.history.signIn()
      let late = try await client.call("messages.history", fetching)
      #expect(late["beginning"] == .boolean(true))
      #expect(
        await fixture.history.requests == [
          "missing", "older", "older", "older", "signed in", "older",
        ])
    }
  }

  @Test func `large pages end early, and continue`() async throws {
    // 18 kB each: fewer than 50 of them are in a page.
    let text = String(repeating: "é", count: 9000)
    await fixture.ports.add((10...109).map { BridgeFixture.message($0, text, at: Double($0)) })
    try await fixture.serve { client in
      try await client.greet()
      let result = try await client.call("messages.history", Self.head + #""limit":100}"#)
      let shown = ids(result).compactMap { Int($0) }
      let first = try #require(shown.first)
      #expect(shown == Array(first...109))
      #expect(shown.count < 50 && shown.count > 40)
      #expect(result["more"] == .boolean(true))
      let next = try await client.call(
        "messages.history", Self.head + #""limit":100,"before":"\#(first)"}"#)
      #expect(ids(next).last == String(first - 1))
    }
  }

  @Test func `messages are found`() async throws {
    await fixture.ports.add([BridgeFixture.message(9, "green tea", in: BridgeFixture.tea)])
    try await fixture.serve { client in
      try await client.greet()
      let all = try await client.call("messages.search", #"{"query":"tea","limit":3}"#)
      #expect(ids(all).count == 3)
      #expect(all["count"] == .integer(7) && all["more"] == .boolean(true))
      let rest = try await client.call("messages.search", #"{"query":"tea","skip":3}"#)
      #expect(ids(rest).count == 4 && rest["more"] == .boolean(false))
      #expect(Set(ids(all)).isDisjoint(with: ids(rest)))
      let room = try await client.call(
        "messages.search", #"{"query":"tea","conversation":"tea@rooms.example.org"}"#)
      #expect(ids(room) == ["9"])
      let error = try await client.failure(of: "messages.search", #"{"query":"has:wings"}"#)
      #expect(error["data"]?["path"] == .text("query"))
    }
  }

  @Test func `a search discloses nothing of conversations that may not be read`() async throws {
    await fixture.ports.add([BridgeFixture.message(9, "green tea", in: BridgeFixture.tea)])
    var options = fixture.options()
    options.rights = { _ in BridgeRights(held: { _, _ in .held(BridgeScope(hasRooms: true)) }) }
    try await fixture.serve(nil, options) { client in
      try await client.greet(as: "script")
      // Those of the contact match as well, and one of them is the newest.
      let all = try await client.call("messages.search", #"{"query":"tea","limit":1}"#)
      #expect(ids(all) == ["9"])
      #expect(all["count"] == .integer(1))
      let error = try await client.failure(
        of: "messages.search", #"{"query":"tea","conversation":"bob@example.org"}"#)
      #expect(error["code"] == .integer(BridgeError.Code.permission.rawValue))
    }
    // Of contacts only, a room that there is has the same answer as one that there is not.
    options.rights = { _ in BridgeRights(held: { _, _ in .held(BridgeScope(hasDirect: true)) }) }
    try await fixture.serve(nil, options) { client in
      try await client.greet(as: "script")
      for room in ["tea", "none"] {
        let error = try await client.failure(
          of: "messages.search",
          #"{"query":"tea","conversation":"\#(room)@rooms.example.org"}"#)
        #expect(error["code"] == .integer(BridgeError.Code.permission.rawValue))
      }
    }
  }
}
