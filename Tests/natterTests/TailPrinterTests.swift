import Configuration
import Crypto
import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// What `natter tail` makes of events.
@Suite struct TailPrinterTests {
  private static let me = JID(local: "me", domain: "natter.test")

  private func printer(
    _ addresses: [String] = [], since: Date? = nil, isJSON: Bool = false
  ) async throws -> TailPrinter {
    let localizer = Localizer(tag: "en", texts: try englishTexts())
    let format = ItemFormat(
      localizer: localizer, account: Self.me, local: { LocalTime.utc($0) })
    return TailPrinter(
      account: Self.me, addresses: try addresses.map { try #require(JID(parsing: $0)) },
      since: since, isJSON: isJSON, names: try await StoredNames(nil, format: format))
  }

  private func message(
    _ body: String, in conversation: String = "bob@natter.test", more: [String: JSONValue] = [:]
  ) -> JSONValue {
    .object(
      [
        "conversation": .text(conversation), "body": .text(body), "direction": .text("in"),
        "at": .text("2026-11-28T10:00:00.000000Z"),
      ].merging(more) { $1 })
  }

  @Test func `a line has time, conversation, name and text, made safe`() async throws {
    let printer = try await printer()
    let name = printer.names.name(of: JID(local: "bob", domain: "natter.test"))
    #expect(
      printer.text(of: message("hello"))
        == "2026-11-28 10:00:00 bob@natter.test \(name)  hello\n")
    let room = message("one\ntwo\u{1b}[31m", in: "tea@rooms.test", more: ["nick": .text("carol")])
    #expect(
      printer.text(of: room)
        == "2026-11-28 10:00:00 tea@rooms.test carol  one\n    two^[[31m\n")
    let own = message("mine", more: ["direction": .text("out")])
    #expect(
      printer.text(of: own) == "2026-11-28 10:00:00 bob@natter.test you  mine\n")
  }

  @Test func `one conversation needs no address, and others are left out`() async throws {
    let printer = try await printer(["tea@rooms.test"])
    let room = message("x", in: "tea@rooms.test", more: ["nick": .text("carol")])
    #expect(printer.text(of: room) == "2026-11-28 10:00:00 carol  x\n")
    // Private messages in a room belong to it.
    let aside = message("y", in: "tea@rooms.test/carol", more: ["nick": .text("carol")])
    #expect(printer.text(of: aside) == "2026-11-28 10:00:00 carol  y\n")
    #expect(printer.text(of: message("z")) == nil)
  }

  @Test func `older messages than wanted are left out`() async throws {
    // 28 November 2026, 10:00:00 UTC.
    let start = Date(timeIntervalSince1970: 1_795_860_000)
    #expect(try await printer(since: start).text(of: message("x")) != nil)
    #expect(try await printer(since: start.addingTimeInterval(1)).text(of: message("x")) == nil)
  }

  @Test func `programs get the object`() async throws {
    let text = try await printer(isJSON: true).text(of: message("\u{1b}"))
    let expected =
      #"{"at":"2026-11-28T10:00:00.000000Z","body":"\u001b","#
      + #""conversation":"bob@natter.test","direction":"in"}"#
    #expect(text == expected + "\n")
  }
}

/// The own presence of `natter serve`.
@Suite struct HeadlessPresenceTests {
  @Test func `it is away with priority 0, and what the user chose stays stored`() async throws {
    let store = MemoryPresence()
    let chosen = OwnPresence(availability: .busy, status: "busy", priority: 7)
    let bob = JID(local: "bob", domain: "natter.test")
    try await store.keep(chosen)
    let headless = HeadlessPresence(over: store)
    try await headless.keepRequest(from: bob, at: Date(timeIntervalSince1970: 0))
    try await headless.keep(OwnPresence(availability: .online))
    let stored = try await headless.storedPresence()
    #expect(stored.own == OwnPresence(availability: .away) && stored.requests == [bob])
    #expect(await store.storedPresence().own == chosen)
    try await headless.removeRequest(from: bob)
    #expect(await store.storedPresence().requests == [])
  }

  @Test func `a client without a user sends no markers and no typing notices`() {
    let crypto = CryptoLibrary()
    let headless = ClientIdentity(crypto: crypto, isHeadless: true).privacy
    #expect(!headless.sendsMarkers && !headless.sendsTyping && headless.sendsReceipts)
    #expect(ClientIdentity(crypto: crypto).privacy.sendsMarkers)
  }
}
