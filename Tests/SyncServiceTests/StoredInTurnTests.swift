import Foundation
import NatterCore
import ReceiveService
import Storage
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// What is known of an archive is stored by who reads pages and by what comes live; neither puts back what the other has stored.
@Suite struct StoredInTurnTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive
  private let receiver: MessageReceiver

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(account: fixture.account)
    receiver = fixture.receiver()
  }

  /// Five a second, as in a busy moment.
  private func entry(_ number: Int) -> ScriptedArchive.Entry {
    let made = fixture.entry(number)
    return .init(
      id: made.id, stamp: ArchiveFixture.stamp(0) + Double(number) * 0.2, message: made.message)
  }

  private func arrive(_ numbers: ClosedRange<Int>, at synchronizer: ArchiveSynchronizer) async {
    for number in numbers {
      let entry = entry(number)
      await archive.append([entry])
      fixture.clock.set(entry.stamp)
      await receiver.receive([fixture.live(entry)])
      await synchronizer.receive([fixture.live(entry)])
    }
  }

  /// Does something after each page that was stored.
  private actor AfterPages: ArchiveFollowing {
    private var action: (@Sendable () async -> Void)?
    func set(_ action: (@Sendable () async -> Void)?) { self.action = action }
    func archiving(_ messages: [MessageStanza], areNews: Bool) async {}
    func archived(_ messages: [MessageStanza], areNews: Bool) async { await action?() }
  }

  @Test func `much that comes live while a hole is filled leaves all in the archive's order`()
    async throws
  {
    await archive.append((1...40).map(entry))
    fixture.clock.set(entry(40).stamp)
    _ = await fixture.signIn(to: archive)
    // Away for long: between what was known and the newest page there is a hole.
    await archive.append((41...400).map(entry))
    fixture.clock.set(entry(400).stamp)
    let follower = AfterPages()
    let synchronizer = fixture.synchronizer(followers: [follower], sleep: { _ in })
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.connectionOpened()
    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)

    let said = Counter(400)
    await follower.set {
      let first = await said.take(60)
      await self.arrive(first + 1...first + 60, at: synchronizer)
    }
    await synchronizer.fillHoles()
    await follower.set(nil)
    await synchronizer.check()
    let last = await said.value
    #expect(last > 400)
    #expect(try await fixture.numbers() == Array(1...last))
    #expect(try await fixture.database.messages.ranges(of: fixture.account, with: nil).count == 1)
  }

  @Test
  func `much that comes live while what came before is compared leaves all in the archive's order`()
    async throws
  {
    await archive.append((1...3).map(entry))
    fixture.clock.set(entry(3).stamp)
    let follower = AfterPages()
    let synchronizer = fixture.synchronizer(followers: [follower], sleep: { _ in })
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.sessionStarted(.fixture, over: archive)
    // What was on its way when the connection broke comes again, behind all that came meanwhile.
    await archive.append([entry(4)])
    await arrive(5...320, at: synchronizer)
    fixture.clock.set(entry(321).stamp)
    await receiver.receive([fixture.live(entry(4))])
    await synchronizer.receive([fixture.live(entry(4))])

    let said = Counter(321)
    await follower.set {
      let first = await said.take(60)
      await self.arrive(first + 1...first + 60, at: synchronizer)
    }
    await synchronizer.check()
    await follower.set(nil)
    await synchronizer.check()
    let last = await said.value
    #expect(last > 321)
    let numbers = try await fixture.numbers()
    #expect(numbers == Array(1...320) + Array(322...last))
  }

  private actor Counter {
    private(set) var value: Int
    init(_ value: Int) { self.value = value }
    /// - Returns: what it was before.
    func take(_ count: Int) -> Int {
      defer { value += count }
      return value
    }
  }
}
