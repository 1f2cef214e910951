import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// flows.md, "Receiving": what was missed is found, whatever this machine's clock said when
/// something came: it may have been hours off.
@Suite struct WrongClockTests {
  /// An account that knows 1 to 11, the last of which came live while the clock was `hours` off,
  /// and that missed `count` since.
  private func away(_ count: Int, clockOffBy hours: Double) async throws -> (
    fixture: ArchiveFixture, archive: ScriptedArchive
  ) {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    fixture.clock.set(ArchiveFixture.stamp(10) + hours * 3600)
    let synchronizer = await fixture.signIn(to: archive)
    fixture.clock.set(ArchiveFixture.stamp(11) + hours * 3600)
    await archive.append([fixture.entry(11)])
    await synchronizer.receive([fixture.live(fixture.entry(11))], storedBy: fixture.receiver())
    await synchronizer.sessionEnded()
    await archive.append((12..<12 + count).map { fixture.entry($0) })
    fixture.clock.set(ArchiveFixture.stamp(12 + count) + hours * 3600)
    return (fixture, archive)
  }

  @Test(arguments: [-8.0, 8], [9, 150, 500])
  func `all that was missed comes, in the archive's order`(hours: Double, count: Int) async throws {
    let (fixture, archive) = try await away(count, clockOffBy: hours)
    let synchronizer = await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...11 + count))
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
  }

  @Test(arguments: [-8.0, 8])
  func `it comes too when the clock is right again`(hours: Double) async throws {
    let (fixture, archive) = try await away(500, clockOffBy: hours)
    fixture.clock.set(ArchiveFixture.stamp(512))
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...511))
  }

  @Test(arguments: [-8.0, 8])
  func `what only the archive has after a new connection is found`(hours: Double) async throws {
    let (fixture, archive) = try await away(0, clockOffBy: hours)
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.connectionOpened()
    await synchronizer.channelOpened(archive)
    await synchronizer.sessionStarted(.fixture, over: archive)
    // One got lost while the session was resumed; the next one came.
    await archive.append(fixture.entries(12...13))
    await synchronizer.receive([fixture.live(fixture.entry(13))], storedBy: fixture.receiver())
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...13))
  }
}
