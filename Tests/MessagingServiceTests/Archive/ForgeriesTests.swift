import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Forged ids, copies and results are refused.
@Suite struct ForgeriesTests {
  private func id(_ value: String, by owner: String) -> Element {
    Element("stanza-id", Namespace.stanzaIDs, ["by": owner, "id": value])
  }

  private func ends(_ fixture: ArchiveFixture) async throws -> [String] {
    try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
  }

  @Test func `a copy that is not from the own account moves nothing and is not stored`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = await fixture.signIn(to: archive)
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none)
    let inner = fixture.live(fixture.entry(99)).element
    for from in ["mallory@example.org", "alice@example.org/phone", "example.org"] {
      let forged = Stanza.message(
        from: from,
        Element(
          "received", XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [inner])]))
      await synchronizer.receive([forged], storedBy: receiver)
    }
    await synchronizer.sessionEnded()
    #expect(try await ends(fixture) == ["a10"])
    #expect(try await fixture.numbers() == Array(1...10))
  }

  @Test func `of two ids by the account one is forged: neither counts`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.receive([
      .message(
        from: "bob@example.org/x", id: "m11", body: "text 11", id("a10", by: "alice@example.org"),
        id("a11", by: "alice@example.org")),
      .message(from: "bob@example.org/x", body: "x", id("", by: "alice@example.org")),
      .message(from: "bob@example.org/x", body: "x", id("a12", by: "alice@example.org/phone")),
      .message(from: "bob@example.org/x", body: "x", id("a13", by: "no address at all@@")),
    ])
    await synchronizer.sessionEnded()
    #expect(try await ends(fixture) == ["a10"])
  }

  @Test func `an id that was forged hides no message`() async throws {
    let fixture = try await ArchiveFixture()
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none)
    // Mallory gives hers the id that bob's will have.
    await receiver.receive([
      .message(
        from: "mallory@example.org/x", id: "m1", body: "text 1", id("a1", by: "mallory@example.org")
      ),
      .message(
        from: "bob@example.org/x", id: "m0", body: "text 0", id("a1", by: "bob@example.org")),
      fixture.live(fixture.entry(1)),
    ])
    #expect(try await fixture.numbers() == [0, 1])
  }

  @Test func `another sender's message with a known id is not the known one`() async throws {
    let fixture = try await ArchiveFixture()
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none)
    await receiver.receive([
      .message(from: "carol@example.org/x", id: "m1", body: "text 1"),
      fixture.live(fixture.entry(1)),
      // The same id again with another text.
      .message(from: "bob@example.org/x", id: "m1", body: "text 2"),
    ])
    #expect(try await fixture.numbers() == [1, 2])
    #expect(try await fixture.numbers(in: fixture.carol) == [1])
  }

  @Test func `late messages have their position before the end, and move nothing`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.receive([
      .message(
        from: "bob@example.org/x", id: "m3", body: "text 3", id("a3", by: "alice@example.org"),
        Element(
          "delay", Namespace.delay,
          ["stamp": "2023-11-14T00:00:00Z", "from": "example.org"]))
    ])
    await synchronizer.sessionEnded()
    #expect(try await ends(fixture) == ["a10"])
  }
}
