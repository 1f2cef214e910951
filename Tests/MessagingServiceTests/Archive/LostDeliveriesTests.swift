import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// The stanzas that a server was delivering when a session ended, in the ways in which servers
/// deliver them later, or not (server-quirks.md, "Prosody" and "Both").
@Suite struct LostDeliveriesTests {
  /// When what the old session had comes to the new one.
  enum Moment: CaseIterable { case beforeTheArchive, afterTheArchive, never }

  /// Three messages are known, two come live in a session that ends before they are acknowledged,
  /// and a sixth never arrives in it; then comes the next session.
  private func life(_ moment: Moment, isKept kept: ClosedRange<Int> = 4...6) async throws
    -> ArchiveFixture
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    let receiver = fixture.receiver()
    fixture.clock.set(ArchiveFixture.stamp(3) + 1)
    let first = await fixture.signIn(to: archive)
    for number in 4...5 {
      let entry = fixture.entry(number)
      fixture.clock.set(entry.stamp)
      await archive.append([entry])
      await first.receive([fixture.live(entry)], storedBy: receiver)
    }
    await archive.append([fixture.entry(6)])
    await first.sessionEnded()

    fixture.clock.set(ArchiveFixture.stamp(7))
    let second = fixture.synchronizer { _ in }
    let late = kept.map { fixture.delayed(fixture.entry($0)) }
    await receiver.connectionOpened()
    await second.copies.sessionStarted(.fixture, over: archive)
    await second.channelOpened(archive)
    if moment == .beforeTheArchive {
      await second.receive(late, storedBy: receiver)
    }
    await second.sessionStarted(.fixture, over: archive)
    if moment == .afterTheArchive {
      await second.receive(late, storedBy: receiver)
    }
    // What is said in it comes behind all that.
    let entry = fixture.entry(8)
    fixture.clock.set(entry.stamp)
    await archive.append([entry])
    await second.receive([fixture.live(entry)], storedBy: receiver)
    await second.check()
    await second.fillHoles()
    await second.sessionEnded()
    return fixture
  }

  private func expectWhole(_ fixture: ArchiveFixture) async throws {
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 5, 6, 8])
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 4)
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a8"])
    #expect(try await fixture.database.faults() == [])
  }

  @Test(arguments: Moment.allCases)
  func `a stream that was closed over unacknowledged messages: they come at the next login, once`(
    moment: Moment
  ) async throws {
    try await expectWhole(try await life(moment))
  }

  @Test(arguments: [Moment.beforeTheArchive, .afterTheArchive])
  func `the same resource again: what the old session had comes to the new one, each message once`(
    moment: Moment
  ) async throws {
    // Five was stored and not acknowledged, six was never here.
    try await expectWhole(try await life(moment, isKept: 5...6))
  }

  @Test(arguments: [Moment.beforeTheArchive, .never])
  func `without stream management what went into a dead connection is read from the archive`(
    moment: Moment
  ) async throws {
    // One server keeps what it noticed in time, the other one nothing.
    try await expectWhole(try await life(moment, isKept: 6...6))
  }
}
