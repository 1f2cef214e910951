import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// The same messages by several roads, in any order, are stored once, none is missed, and none is
/// made up.
@Suite struct RoadsTests {
  /// The roads by which a message of the archive may come.
  private enum Road: CaseIterable { case live, carbon, archive, resend }

  @Test(arguments: 1...25)
  func `live, copy, archive and resend in any order store each message once`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let fixture = try await ArchiveFixture()
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none)
    let phone = fixture.account.with(resource: "phone")
    let entries = (1...60).map { number in
      fixture.unique(
        number.isMultiple(of: 4)
          ? fixture.entry(number, from: phone, to: fixture.bob) : fixture.entry(number))
    }
    let archive = ScriptedArchive(
      account: fixture.account, entries: entries, pageLimit: 7,
      unknownID: seed.isMultiple(of: 2) ? .refused : .ignored)

    var arrivals: [Stanza] = []
    for entry in entries {
      for road in Road.allCases where Int.random(in: 0...2, using: &random) == 0 {
        switch road {
        case .live where entry.message.from?.bare == fixture.bob:
          arrivals.append(fixture.live(entry))
        case .carbon: arrivals.append(copy(entry, in: fixture))
        // Sent once more by a client that did not learn that it had arrived: the archive gives it
        // another id.
        case .resend where entry.message.from?.bare == fixture.bob:
          let again = ScriptedArchive.Entry(
            id: entry.id + "-again", stamp: entry.stamp, message: entry.message)
          arrivals.append(fixture.live(again))
        default: break
        }
      }
    }
    arrivals.shuffle(using: &random)

    var rest = arrivals[...]
    while true {
      let synchronizer = fixture.synchronizer()
      let cut = Int.random(in: 1...12, using: &random)
      await archive.fail(from: await archive.queries.count + cut, with: ChannelError.notConnected)
      if rest.isEmpty { await archive.recover() }
      await synchronizer.copies.sessionStarted(.fixture, over: archive)
      async let catchUp: Void = synchronizer.sessionStarted(.fixture, over: archive)
      let batch = Array(rest.prefix(20))
      rest = rest.dropFirst(20)
      await receiver.receive(batch)
      await catchUp
      let isLast = batch.isEmpty
      if isLast {
        await synchronizer.fillHoles()
        while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
      }
      await synchronizer.sessionEnded()
      if isLast { break }
    }

    let bodies = try await fixture.bodies()
    #expect(bodies.count == 60, "seed \(seed)")
    #expect(Set(bodies) == Set(fixture.texts(1...60)), "seed \(seed)")
    #expect(try await fixture.database.faults() == [])
  }

  private func copy(_ entry: ScriptedArchive.Entry, in fixture: ArchiveFixture) -> Stanza {
    let isOwn = entry.message.from?.bare == fixture.account
    return .message(
      from: fixture.account.description,
      Element(
        isOwn ? "sent" : "received", XEP0280Carbon.namespace, [:],
        [
          Element(
            "forwarded", XEP0280Carbon.forwardNamespace, [:], [fixture.live(entry).element])
        ]))
  }
}
