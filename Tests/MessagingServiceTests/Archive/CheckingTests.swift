import Foundation
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService
@testable import NatterCore

/// Messages that a server loses or reorders while it moves a session (server-quirks.md,
/// "Clusters"): only the archive has them, and live messages that follow are no proof that they
/// arrived.
@Suite struct CheckingTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive
  private let receiver: MessageReceiver

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    receiver = fixture.receiver()
    fixture.clock.set(ArchiveFixture.stamp(3))
  }

  private func signIn() async -> ArchiveService {
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive, with: receiver)
    return synchronizer
  }

  /// The server archives all of them and delivers those that are not in `lost`, the last ones first
  /// where `isMixed`.
  private func arrive(
    _ numbers: ClosedRange<Int>, at synchronizer: ArchiveService, lost: Set<Int> = [],
    isMixed: Bool = false
  ) async {
    for number in numbers { await archive.append([fixture.entry(number)]) }
    let delivered = numbers.filter { !lost.contains($0) }
    for number in isMixed ? delivered.reversed() : delivered {
      let stanza = fixture.live(fixture.entry(number))
      fixture.clock.set(max(fixture.now, ArchiveFixture.stamp(number)))
      await synchronizer.receive([stanza], storedBy: receiver)
    }
  }

  private func ends() async throws -> [String] {
    try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
  }

  private func unread() async throws -> Int? {
    try await fixture.database.conversations.conversation(fixture.bob)?.unread
  }

  @Test(arguments: [Set([5]), [4], [6], [4, 5, 6]])
  func `what was lost when the session began is there some seconds later, as news`(lost: Set<Int>)
    async throws
  {
    let synchronizer = await signIn()
    await arrive(4...6, at: synchronizer, lost: lost)
    #expect(try await unread() == 3 - lost.count)
    let events = fixture.hub.events()
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...6))
    #expect(try await unread() == 3)
    let sent = await events.published(on: fixture.hub).flatMap { event -> [String] in
      if case .messagesStored(let messages) = event { messages.map(\.body) } else { [] }
    }
    #expect(sent == lost.sorted().map { "text \($0)" })
    #expect(try await ends() == ["a6"])
    // From here on what comes live moves the end.
    await arrive(7...8, at: synchronizer)
    await synchronizer.sessionEnded()
    #expect(try await ends() == ["a8"])
  }

  @Test func `a program that ends before the check does not assume that nothing is missing`()
    async throws
  {
    let synchronizer = await signIn()
    await arrive(4...60, at: synchronizer, lost: [20])
    await synchronizer.sessionEnded()
    #expect(try await ends() == ["a3"])
    _ = await signIn()
    #expect(try await fixture.numbers() == Array(1...60))
    #expect(try await unread() == 57)
  }

  @Test func `what was lost when a session went on over another connection`() async throws {
    let synchronizer = await signIn()
    await arrive(4...5, at: synchronizer)
    await synchronizer.check()
    #expect(try await ends() == ["a5"])
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    await arrive(6...9, at: synchronizer, lost: [7])
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 5, 6, 8, 9])
    // Again, before the user has looked: it continues at the same position.
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    await arrive(10...12, at: synchronizer, lost: [11])
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...12))
    #expect(try await unread() == 9)
    #expect(try await ends() == ["a12"])
  }

  @Test func `messages delivered in another order are put in the archive's order`() async throws {
    let synchronizer = await signIn()
    await arrive(4...9, at: synchronizer, isMixed: true)
    #expect(try await fixture.numbers() == [1, 2, 3, 9, 8, 7, 6, 5, 4])
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...9))
    #expect(try await unread() == 6)
    #expect(try await ends() == ["a9"])
  }

  /// The page ends in the middle of what one read of the connection brought.
  @Test(arguments: [Set([6]), [5, 6, 7], [4, 9]])
  func `what is put between messages of one read moves nothing behind those that came with them`(
    lost: Set<Int>
  ) async throws {
    let synchronizer = await signIn()
    for number in 4...12 { await archive.append([fixture.entry(number)]) }
    let delivered = (4...16).filter { !lost.contains($0) }.map { fixture.entry($0) }
    fixture.clock.set(ArchiveFixture.stamp(16))
    await synchronizer.receive(delivered.map { fixture.live($0) }, storedBy: receiver)
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...16))
  }

  @Test func `late messages are put right across a page that ends with a local message`()
    async throws
  {
    let synchronizer = await signIn()
    await arrive(4...51, at: synchronizer)
    fixture.clock.set(fixture.now + 1)
    _ = try await fixture.database.outbox.enqueue(
      body: "text 53", to: fixture.bob, from: fixture.account, originID: "m53", at: fixture.now)
    try await fixture.database.outbox.markAttempted(["m53"], at: fixture.now)
    // The page of fifty after the third ends with it.
    let own = fixture.entry(53, from: fixture.account.with(resource: "natter"), to: fixture.bob)
    await archive.append([fixture.entry(52), own] + fixture.entries(54...60))
    for number in [54, 55, 52] + Array(56...60) {
      fixture.clock.set(fixture.now + 1)
      let stanza = fixture.live(fixture.entry(number))
      await synchronizer.receive([stanza], storedBy: receiver)
    }
    await synchronizer.check()
    #expect(try await fixture.numbers().filter { $0 != 53 } == Array(1...52) + Array(54...60))
  }

  @Test func `what came live while catching up is compared, too`() async throws {
    await signIn().sessionEnded()
    for number in 4...6 { await archive.append([fixture.entry(number)]) }
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await receiver.connectionOpened()
    await synchronizer.channelOpened(archive)
    // It comes before the archive is asked: the last one stays away.
    await arrive(7...9, at: synchronizer, lost: [8])
    await synchronizer.sessionStarted(.fixture, over: archive)
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...9))
    #expect(try await ends() == ["a9"])
  }

  @Test func `an archive that does not answer leaves it to the next session`() async throws {
    let synchronizer = await signIn()
    await arrive(4...6, at: synchronizer, lost: [5])
    await archive.fail(with: ChannelError.timedOut)
    await synchronizer.check()
    await synchronizer.sessionEnded()
    #expect(try await ends() == ["a3"])
    await archive.recover()
    _ = await signIn()
    #expect(try await fixture.numbers() == Array(1...6))
  }

  @Test func `a connection that begins while it is compared has it compared once more`()
    async throws
  {
    let witness = Interloper()
    let synchronizer = fixture.synchronizer(followers: [witness]) { _ in }
    await synchronizer.signIn(to: archive, with: receiver)
    await arrive(4...6, at: synchronizer)
    // The archive has answered when the connection breaks; what comes on the way to the next one is
    // lost.
    await witness.act { [archive, fixture] in
      await archive.append([fixture.entry(7)])
      await synchronizer.connectionOpened()
      await synchronizer.sessionResumed()
    }
    await synchronizer.check()
    await arrive(8...9, at: synchronizer)
    #expect(await synchronizer.takesUpCheck())
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...9))
    #expect(try await ends() == ["a9"])
  }

  @Test func `an archive that lets nothing be compared leaves it to the next session`() async throws
  {
    let synchronizer = await signIn()
    await arrive(4...6, at: synchronizer, lost: [5])
    await archive.fail(with: StanzaError(.auth, .forbidden))
    await synchronizer.check()
    // It is not asked for ever.
    #expect(await !synchronizer.takesUpCheck())
    await arrive(7...8, at: synchronizer)
    await synchronizer.sessionEnded()
    #expect(try await ends() == ["a3"])
    await archive.recover()
    _ = await signIn()
    #expect(try await fixture.numbers() == Array(1...8))
  }

  /// More has come live than is compared at once, and the first of it is compared.
  /// - Parameters:
  ///   - ahead: seconds by which this machine's clock is.
  ///   - hears: what came; the rest only the archive has.
  private func talkedAtLength(
    ahead: Double = 0, hears: (Int) -> Bool
  ) async throws -> (ArchiveService, ScriptedArchive) {
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...3), pageLimit: 2)
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive, with: receiver)
    for number in 4...110 {
      await archive.append([fixture.entry(number)])
      guard hears(number) else { continue }
      fixture.clock.set(ArchiveFixture.stamp(number) + ahead)
      await synchronizer.receive([fixture.live(fixture.entry(number))], storedBy: receiver)
    }
    await synchronizer.check()
    return (synchronizer, archive)
  }

  @Test(arguments: [false, true])
  func `more than is compared at once is not taken for compared`(isLeft: Bool) async throws {
    let (synchronizer, archive) = try await talkedAtLength { $0 != 108 }
    if isLeft {
      // The next session reads on from there.
      await synchronizer.sessionEnded()
      #expect(try await ends() == ["a103"])
      let next = fixture.synchronizer { _ in }
      await next.signIn(to: archive)
      await next.fillHoles()
    } else {
      // So does this one, after the others.
      #expect(await synchronizer.takesUpCheck())
      await synchronizer.check()
      #expect(await !synchronizer.takesUpCheck())
      await synchronizer.sessionEnded()
      #expect(try await ends() == ["a110"])
    }
    #expect(try await fixture.numbers() == Array(2...110))
  }

  @Test func `what is compared in two goes is in order where this machine's clock is ahead`()
    async throws
  {
    let (synchronizer, archive) = try await talkedAtLength(ahead: 5) { $0 < 104 }
    await synchronizer.sessionEnded()
    let next = fixture.synchronizer { _ in }
    await next.signIn(to: archive)
    await next.fillHoles()
    #expect(try await fixture.numbers() == Array(2...110))
  }

  @Test
  func `a room's archive is not compared for ever over one connection, and goes on with the next`()
    async throws
  {
    let room = JID(local: "hill", domain: "rooms.example.org")
    let archive = ScriptedArchive(account: fixture.account, pageLimit: 1)
    _ = try await fixture.database.conversations.open(room, kind: .room)
    await archive.setEntries((1...7).map { .said($0, in: room) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(7))
    let view = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(view, of: room)
    let synchronizer = fixture.synchronizer { _ in }
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.sessionStarted(.fixture, over: archive)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    // On joining, an occupant gets all of it; between two connections something may get lost.
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    // Five times fifty pages, and more.
    await archive.setEntries((1...300).map { .said($0, in: room) }, of: room)
    for number in 8...300 where number != 290 {
      fixture.clock.set(ArchiveFixture.stamp(number))
      let stanza = ScriptedArchive.Entry.said(number, in: room).reflected(by: room)
      await synchronizer.receive([stanza], storedBy: receiver)
    }
    var checks = 0
    while await synchronizer.takesUpCheck() {
      checks += 1
      try #require(checks < 10)
      await synchronizer.check()
    }
    #expect(checks == 5)
    #expect(try await !fixture.numbers(in: room).contains(290))
    // What is not compared is not said to be complete.
    let ends = try await fixture.database.archiveRanges.ranges(of: room, with: nil).map(\.end.id)
    #expect(ends == ["r257"])
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    #expect(await synchronizer.takesUpCheck())
    await synchronizer.check()
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(7...300))
  }

  @Test func `a room whose archive is read over two connections is compared as well`() async throws
  {
    let room = JID(local: "hill", domain: "rooms.example.org")
    let (fixture, archive, receiver) = (fixture, archive, receiver)
    _ = try await fixture.database.conversations.open(room, kind: .room)
    await archive.setEntries((1...5).map { .said($0, in: room) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(6))
    let view = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(view, of: room)
    let witness = Interloper()
    let synchronizer = fixture.synchronizer(followers: [witness]) { _ in }
    await synchronizer.connectionOpened()
    await synchronizer.sessionStarted(.fixture, over: archive)
    // The room's archive has answered when the connection breaks; on the way to the next one the
    // sixth is lost.
    await witness.act {
      await archive.setEntries((1...7).map { .said($0, in: room) }, of: room)
      await receiver.connectionOpened()
      await synchronizer.connectionOpened()
      await synchronizer.sessionResumed()
      fixture.clock.set(ArchiveFixture.stamp(7))
      let stanza = ScriptedArchive.Entry.said(7, in: room).reflected(by: room)
      await synchronizer.receive([stanza], storedBy: receiver)
    }
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    #expect(try await fixture.numbers(in: room) == [1, 2, 3, 4, 5, 7])
    #expect(await synchronizer.takesUpCheck())
    await synchronizer.check()
    #expect(try await fixture.numbers(in: room) == Array(1...7))
    #expect(try await synchronizer.holes(in: room).isEmpty)
  }
}

/// Does something once, when a page was stored.
private actor Interloper: ArchiveFollowing {
  private var action: (@Sendable () async -> Void)?

  func act(_ action: @escaping @Sendable () async -> Void) { self.action = action }
  func archiving(_ messages: [MessageStanza], areNews: Bool) {}
  func archived(_ messages: [MessageStanza], areNews: Bool) async {
    let action = action
    self.action = nil
    await action?()
  }
}
