import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// The ranges of an archive are written for pages and for live messages: neither overwrites what
/// the other has stored.
@Suite struct SerializedStoringTests {
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

  private func arrive(_ numbers: ClosedRange<Int>, at synchronizer: ArchiveService) async {
    for number in numbers {
      let entry = entry(number)
      await archive.append([entry])
      fixture.clock.set(entry.stamp)
      await synchronizer.receive([fixture.live(entry)], storedBy: receiver)
    }
  }

  /// Does something after each page that was stored.
  private actor AfterPages: ArchiveFollowing {
    private var action: (@Sendable () async -> Void)?
    func set(_ action: (@Sendable () async -> Void)?) { self.action = action }
    func archiving(_ messages: [MessageStanza], areNews: Bool) async {}
    func archived(_ messages: [MessageStanza], areNews: Bool) async { await action?() }
  }

  /// Has sixty more come live each time that a page was stored.
  private func arriveAfterEachPage(
    of follower: AfterPages, _ said: Counter, at synchronizer: ArchiveService
  ) async {
    await follower.set {
      let first = await said.take(60)
      await self.arrive(first + 1...first + 60, at: synchronizer)
    }
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
    await synchronizer.signIn(to: archive, with: receiver)
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)

    let said = Counter(400)
    await arriveAfterEachPage(of: follower, said, at: synchronizer)
    await synchronizer.fillHoles()
    await follower.set(nil)
    await synchronizer.check()
    let last = await said.value
    #expect(last > 400)
    #expect(try await fixture.numbers() == Array(1...last))
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).count == 1)
  }

  @Test
  func `much that comes live while what came before is compared leaves all in the archive's order`()
    async throws
  {
    await archive.append((1...3).map(entry))
    fixture.clock.set(entry(3).stamp)
    let follower = AfterPages()
    let synchronizer = fixture.synchronizer(followers: [follower], sleep: { _ in })
    await synchronizer.signIn(to: archive, with: receiver)
    // What was on its way when the connection broke comes again, behind all that came meanwhile.
    await archive.append([entry(4)])
    await arrive(5...320, at: synchronizer)
    fixture.clock.set(entry(321).stamp)
    await synchronizer.receive([fixture.live(entry(4))], storedBy: receiver)

    let said = Counter(321)
    await arriveAfterEachPage(of: follower, said, at: synchronizer)
    await synchronizer.check()
    await follower.set(nil)
    await synchronizer.check()
    let last = await said.value
    #expect(last > 321)
    let numbers = try await fixture.numbers()
    #expect(numbers == Array(1...320) + Array(322...last))
  }

  /// Does something once, before a range's end is stored, and counts how often ranges are read.
  private final class BeforeEnds: ArchiveStoring, ArrivalReading {
    let store: ArchiveRangeStore
    let reads = Mutex(0)
    private let action = Mutex<(@Sendable () async -> Void)?>(nil)
    init(_ store: ArchiveRangeStore) { self.store = store }
    func set(_ action: @escaping @Sendable () async -> Void) {
      self.action.withLock { $0 = action }
    }

    func insert(
      _ messages: [IncomingMessage], making range: ArchiveRange,
      absorbing absorbed: [ArchiveRange], beginningWithFirst isStart: Bool,
      adjoining adjacency: ArchiveAdjacency, countsUnread: @Sendable (IncomingMessage) -> Bool
    ) async throws -> (stored: StoredMessages, range: ArchiveRange) {
      if messages.isEmpty {
        let action = action.withLock { action in
          defer { action = nil }
          return action
        }
        await action?()
      }
      return try await store.insert(
        messages, making: range, absorbing: absorbed, beginningWithFirst: isStart,
        adjoining: adjacency, countsUnread: countsUnread)
    }
    func ranges(of archive: JID, with peer: JID?) async throws -> [ArchiveRange] {
      reads.withLock { $0 += 1 }
      return try await store.ranges(of: archive, with: peer)
    }
    func kept(in conversation: JID, after: Date, before: Date) async throws -> ClosedRange<Date>? {
      try await store.kept(in: conversation, after: after, before: before)
    }
    func newestOutgoing(in conversation: JID, after date: Date) async throws -> Date? {
      try await store.newestOutgoing(in: conversation, after: date)
    }
    func newestReceived(in conversation: JID, between gaps: [(after: Date, before: Date)])
      async throws -> [ArchivePosition?]
    {
      try await store.newestReceived(in: conversation, between: gaps)
    }
    func positions(beforeCrossed messages: [Message.ID]?, since date: Date) async throws
      -> [ArchivePosition]
    {
      try await store.positions(beforeCrossed: messages, since: date)
    }
    func conversations(receivedBefore date: Date) async throws -> [JID] {
      try await store.conversations(receivedBefore: date)
    }
    func storedTime(of id: String, in archive: JID) async throws -> Date? {
      try await store.storedTime(of: id, in: archive)
    }

    func storedEnd(of range: ArchiveRange) async throws -> Date {
      try await store.storedEnd(of: range)
    }
    func localIDs(among originIDs: [String]) async throws -> Set<String> {
      try await store.localIDs(among: originIDs)
    }
  }

  @Test func `what comes while a new connection has the end stored is no gap in what is compared`()
    async throws
  {
    await archive.append((1...3).map(entry))
    fixture.clock.set(entry(3).stamp)
    let store = BeforeEnds(fixture.database.archiveRanges)
    let synchronizer = fixture.synchronizer(store: store, sleep: { _ in })
    await synchronizer.signIn(to: archive, with: receiver)
    await synchronizer.check()
    await arrive(4...20, at: synchronizer)
    // The last of the old connection, seconds after the server sent them.
    store.set {
      await self.archive.append((21...30).map(self.entry))
      self.fixture.clock.set(self.entry(60).stamp)
      await self.receiver.receive((21...30).map { self.fixture.live(self.entry($0)) })
      await synchronizer.receive((21...30).map { self.fixture.live(self.entry($0)) })
    }
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    // What follows them comes again over the new one, with the server's stamps.
    await archive.append((31...50).map(entry))
    await synchronizer.receive((31...50).map { fixture.delayed(entry($0)) }, storedBy: receiver)
    fixture.clock.set(entry(61).stamp)
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...50))
  }

  @Test func `an archive without a gap is looked at once while gaps are filled`() async throws {
    await archive.append((1...300).map(entry))
    fixture.clock.set(entry(300).stamp)
    let store = BeforeEnds(fixture.database.archiveRanges)
    let synchronizer = fixture.synchronizer(store: store)
    await synchronizer.signIn(to: archive, with: receiver)
    let before = store.reads.withLock { $0 }
    await synchronizer.fillHoles()
    #expect(store.reads.withLock { $0 } == before + 1)
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
