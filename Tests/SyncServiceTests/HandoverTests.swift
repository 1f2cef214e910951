import Foundation
import NatterCore
import ReceiveService
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// Sessions that begin with what the server had kept and end before the archive is read: what other clients took between them is
/// missing there.
@Suite struct HandoverTests {
  private let memory = MemoryPreferences()

  private func away() async throws -> (fixture: ArchiveFixture, archive: ScriptedArchive) {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(
      fixture.entries(21...60) + [carol(61, fixture)] + fixture.entries(62...100))
    return (fixture, archive)
  }

  private func carol(_ number: Int, _ fixture: ArchiveFixture) -> ScriptedArchive.Entry {
    fixture.entry(number, from: fixture.carol.with(resource: "x"))
  }

  /// A session in a program of its own, that ends before the archive says anything.
  private func handOver(
    _ batches: [[ScriptedArchive.Entry]], _ fixture: ArchiveFixture,
    _ archive: ScriptedArchive
  ) async -> ArchiveSynchronizer {
    let (receiver, synchronizer) = (fixture.receiver(), fixture.synchronizer(memory: memory))
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.channelOpened(archive)
    for batch in batches {
      let kept = batch.map { fixture.delayed($0) }
      await receiver.receive(kept)
      await synchronizer.receive(kept)
    }
    return synchronizer
  }

  private func hole(_ after: Int, _ before: Int) -> HistoryHole {
    HistoryHole(after: ArchiveFixture.stamp(after), before: ArchiveFixture.stamp(before))
  }

  @Test func `before each of them something may be missing, until the archive has told`()
    async throws
  {
    let (fixture, archive) = try await away()
    var synchronizer = await handOver(
      [fixture.entries(31...33), fixture.entries(34...40)], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31)])
    await synchronizer.sessionEnded()
    synchronizer = await handOver([fixture.entries(51...60)], fixture, archive)
    let both = [hole(20, 31), hole(40, 51)]
    #expect(try await synchronizer.holes(in: fixture.bob) == both)
    // Whoever scrolls there is told that catching up fills it.
    #expect(try await synchronizer.fetchMissing(in: both[1], of: fixture.bob) == .offline)
    await synchronizer.sessionEnded()
    // A session that is handed nothing over, in a run of its own.
    synchronizer = await handOver([], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == both)
    await synchronizer.sessionEnded()
    synchronizer = await handOver(
      [[carol(61, fixture)], fixture.entries(71...72)],
      fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == both + [hole(60, 71)])

    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    #expect(try await fixture.numbers() == Array(1...60) + Array(62...100))
    #expect(await memory.values().isEmpty)
  }

  @Test func `what comes again, not acknowledged, goes on where the session before ended`()
    async throws
  {
    let (fixture, archive) = try await away()
    await handOver([fixture.entries(31...40)], fixture, archive).sessionEnded()
    let synchronizer = await handOver([fixture.entries(38...45)], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31)])
  }

  @Test func `what is kept of them is read back, and anything else is nothing`() {
    var handed = HandedOver()
    #expect(handed.text == nil)
    for number in 0..<30 {
      handed.take(
        [ArchiveFixture.stamp(number * 10), ArchiveFixture.stamp(number * 10 + 5)],
        isFirst: true)
    }
    handed.take([ArchiveFixture.stamp(299)], isFirst: false)
    #expect(handed.borders == (10..<30).map { ArchiveFixture.stamp($0 * 10) })
    #expect(handed.last == ArchiveFixture.stamp(299))
    #expect(HandedOver(text: handed.text ?? "") == handed)
    for text in ["", "nothing", "a b c"] { #expect(HandedOver(text: text) == HandedOver()) }
  }
}
