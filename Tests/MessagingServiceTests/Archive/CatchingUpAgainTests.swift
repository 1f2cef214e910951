import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// An archive that could not be read for a while is read later in the same session.
@Suite struct CatchingUpAgainTests {
  /// Runs `synchronizer` until what `numbers` say is there.
  private func run(
    _ synchronizer: ArchiveService, until numbers: ClosedRange<Int>, in fixture: ArchiveFixture
  ) async throws {
    let work = Task { await synchronizer.run() }
    defer { work.cancel() }
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if try await fixture.numbers() == Array(numbers) { return }
      // Other tests run at the same time: polling without a pause would delay them.
      try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("\(try await fixture.numbers()) in place of \(numbers)")
  }

  private static let troubles: [any Error & Sendable] = [
    StanzaError(.wait, .resourceConstraint), StanzaError(.wait, .internalServerError),
    StanzaError(.cancel, .internalServerError), ChannelError.timedOut,
  ]

  @Test(arguments: troubles.indices)
  func `trouble at the login does not cost the session: it is tried again after a while`(
    trouble: Int
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(21...40))
    await archive.fail(with: Self.troubles[trouble])
    let pauses = Mutex<[Duration]>([])
    let synchronizer = fixture.synchronizer { pause in
      // Not the one after which what came live is compared.
      guard pause > .seconds(3) else { return }
      let count = pauses.withLock {
        $0.append(pause)
        return $0.count
      }
      // Two more times in vain.
      if count == 3 { await archive.recover() }
    }
    await synchronizer.signIn(to: archive)
    let numbers1 = try await fixture.numbers()
    #expect(numbers1 == Array(1...20))
    try await run(synchronizer, until: 1...40, in: fixture)
    #expect(pauses.withLock { $0 } == [.seconds(15), .seconds(30), .seconds(60)])
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 20)
    // From then on live messages move the end.
    await synchronizer.receive([fixture.live(fixture.entry(41))])
    await synchronizer.check()
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a41"])
  }

  @Test func `what came live meanwhile stays apart until what lies between is there`() async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(21...299))
    await archive.fail(with: ChannelError.timedOut)
    fixture.clock.set(ArchiveFixture.stamp(299))
    let synchronizer = await fixture.signIn(to: archive)
    for number in 300...360 {
      fixture.clock.set(ArchiveFixture.stamp(number))
      await archive.append([fixture.entry(number)])
      await synchronizer.receive(
        [fixture.live(fixture.entry(number))], storedBy: fixture.receiver())
    }
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)
    #expect(try await fixture.isHonest())
    await archive.recover()
    await synchronizer.sessionResumed()
    try await run(synchronizer, until: 1...360, in: fixture)
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.start.id) == ["a1"] && ranges.map(\.end.id) == ["a360"])
  }

  @Test func `a server that is busy has not said that there is nothing older`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...200))
    await archive.fail(with: StanzaError(.wait, .resourceConstraint))
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .offline)
    await archive.recover()
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    let numbers2 = try await fixture.numbers()
    #expect(numbers2 == Array(151...200))
  }

  @Test(arguments: [true, false])
  func `messages from before the archive was asked follow a hole when it does not answer`(
    offersCarbons: Bool
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...20), offersCarbons: offersCarbons)
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(21...31))
    fixture.clock.set(ArchiveFixture.stamp(31))
    await archive.fail(with: ChannelError.timedOut)
    let synchronizer = fixture.synchronizer()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.channelOpened(archive)
    let early = fixture.live(fixture.entry(31))
    await synchronizer.receive([early], storedBy: fixture.receiver())
    await synchronizer.sessionStarted(.fixture, over: archive)
    let numbers3 = try await fixture.numbers()
    #expect(numbers3 == Array(1...20) + [31])
    // Without copies of what other clients write, one message says nothing of the next one.
    #expect(try await synchronizer.holes(in: fixture.bob).count == (offersCarbons ? 1 : 0))
    await synchronizer.sessionEnded()
    await archive.recover()
    await fixture.signInAndFill(to: archive)
    let numbers4 = try await fixture.numbers()
    #expect(numbers4 == Array(1...31))
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).count == 1)
  }
}
