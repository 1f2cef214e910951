import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A room is entered more than once in a session, and opened before it is entered: its archive
/// stays whole.
@Suite struct RoomVisitsTests {
  let room = JID(local: "hill", domain: "rooms.example.org")

  private func said(_ numbers: ClosedRange<Int>, by nick: String = "bob")
    -> [ScriptedArchive.Entry]
  {
    numbers.map { .said($0, in: room, by: nick) }
  }

  /// An account that has the room's conversation, and a room that holds what `numbers` say.
  private func prepared(_ numbers: ClosedRange<Int>) async throws -> (
    fixture: ArchiveFixture, archive: ScriptedArchive
  ) {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    fixture.clock.set(ArchiveFixture.stamp(numbers.upperBound + 1))
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries(said(numbers), of: room)
    return (fixture, archive)
  }

  @Test(arguments: [true, false])
  func `a room had forgotten this client: what was said meanwhile is there once, in order`(
    speaksBeforeItIsReported: Bool
  ) async throws {
    let (fixture, archive) = try await prepared(1...20)
    let first = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(first, of: room)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(room, as: first, hasArchive: true)
    await fixture.say(21, in: room, archive, to: synchronizer)
    // It is joined once more; that it had been left was not reported.
    let second = RoomMembership(nick: "alice", hasPast: true, visit: 3)
    fixture.rooms.set(second, of: room)
    await archive.setEntries(said(1...30), of: room)
    fixture.clock.set(ArchiveFixture.stamp(31))
    if speaksBeforeItIsReported { await fixture.say(31, in: room, archive, to: synchronizer) }
    await synchronizer.roomEntered(room, as: second, hasArchive: true)
    if !speaksBeforeItIsReported { await fixture.say(31, in: room, archive, to: synchronizer) }
    let numbers1 = try await fixture.numbers(in: room)
    #expect(numbers1 == Array(1...31))
    #expect(try await synchronizer.holes(in: room).isEmpty)
    await fixture.say(32, in: room, archive, to: synchronizer)
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: room, with: nil)
    #expect(ranges.map(\.start.id) == ["r1"] && ranges.map(\.end.id) == ["r32"])
  }

  @Test func `entered again while its archive cannot be asked, the next session reads the rest`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...20)
    let first = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(first, of: room)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(room, as: first, hasArchive: true)
    let second = RoomMembership(nick: "alice", hasPast: true, visit: 2)
    fixture.rooms.set(second, of: room)
    await archive.setEntries(said(1...30), of: room)
    await archive.fail(with: ChannelError.timedOut)
    await synchronizer.roomEntered(room, as: second, hasArchive: true)
    await fixture.say(31, in: room, archive, to: synchronizer)
    // What is missing is known to be.
    let numbers2 = try await fixture.numbers(in: room)
    #expect(numbers2 == Array(1...20) + [31])
    #expect(try await synchronizer.holes(in: room).count == 1)
    await synchronizer.sessionEnded()
    #expect(try await fixture.isHonest(in: room))
    await archive.recover()
    let next = await fixture.signIn(to: archive)
    await next.roomEntered(room, as: RoomMembership(nick: "alice", visit: 3), hasArchive: true)
    await next.fillHoles()
    let numbers3 = try await fixture.numbers(in: room)
    #expect(numbers3 == Array(1...31))
  }

  @Test func `of a visit that is reported twice the archive is read once`() async throws {
    let (fixture, archive) = try await prepared(1...20)
    let synchronizer = await fixture.signIn(to: archive)
    let view = RoomMembership(nick: "alice", visit: 7)
    fixture.rooms.set(view, of: room)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    let queries = await archive.queries.count
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    #expect(await archive.queries.count == queries)
  }

  @Test func `opened while it is being entered, it waits for that; nothing counts as new`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...300)
    let synchronizer = await fixture.signIn(to: archive)
    fixture.rooms.set(RoomMembership(nick: "alice"), of: room, phase: .entering)
    let queries = await archive.queries.count
    #expect(try await synchronizer.fetchOlder(in: room) == .offline)
    #expect(await archive.queries.count == queries)
    let view = RoomMembership(nick: "alice", visit: 1)
    fixture.rooms.set(view, of: room)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    let numbers4 = try await fixture.numbers(in: room)
    #expect(numbers4 == Array(251...300))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 0)
  }

  @Test
  func `opened while it is not entered, the newest page comes; entered later, what came since`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...300)
    let synchronizer = await fixture.signIn(to: archive)
    fixture.rooms.set(nil, of: room, phase: .outside)
    #expect(try await synchronizer.fetchOlder(in: room) == .fetched)
    let numbers5 = try await fixture.numbers(in: room)
    #expect(numbers5 == Array(251...300))
    // Entered at once: nothing is new, and nothing old comes to the end.
    let view = RoomMembership(nick: "alice", visit: 1)
    fixture.rooms.set(view, of: room)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    let numbers6 = try await fixture.numbers(in: room)
    #expect(numbers6 == Array(251...300))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 0)
    await synchronizer.roomLeft(room)
    // Much is said until the next time.
    await archive.setEntries(said(1...310), of: room)
    fixture.clock.set(ArchiveFixture.stamp(311))
    await synchronizer.roomEntered(
      room, as: RoomMembership(nick: "alice", visit: 2), hasArchive: true)
    let numbers7 = try await fixture.numbers(in: room)
    #expect(numbers7 == Array(251...310))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 10)
    while try await synchronizer.fetchOlder(in: room) == .fetched {}
    let numbers8 = try await fixture.numbers(in: room)
    #expect(numbers8 == Array(1...310))
  }

  @Test(arguments: [true, false])
  func `scrolled up while it is read for the first time: each message once, in its order`(
    isQuiet: Bool
  ) async throws {
    let (fixture, archive) = try await prepared(1...300)
    let synchronizer = await fixture.signIn(to: archive)
    let view = RoomMembership(nick: "alice", visit: 1)
    fixture.rooms.set(view, of: room)
    let room = room
    let (looks, continuation) = AsyncStream<Task<HistoryOutcome, any Error>>.makeStream()
    await archive.before { [weak archive] _ in
      await archive?.before(nil)
      continuation.yield(Task { try await synchronizer.fetchOlder(in: room) })
      continuation.finish()
    }
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    for await look in looks { #expect(try await look.value == .fetched) }
    // A reader waits until it is read, and continues from there.
    let numbers9 = try await fixture.numbers(in: room)
    #expect(numbers9 == Array(201...300))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 0)
    let newest = isQuiet ? 300 : 301
    if !isQuiet { await fixture.say(301, in: room, archive, to: synchronizer) }
    while try await synchronizer.fetchOlder(in: room) == .fetched {}
    let numbers10 = try await fixture.numbers(in: room)
    #expect(numbers10 == Array(1...newest))
    await synchronizer.sessionEnded()
    await archive.setEntries(said(1...310), of: room)
    fixture.clock.set(ArchiveFixture.stamp(311))
    let next = await fixture.signIn(to: archive)
    await next.roomEntered(room, as: RoomMembership(nick: "alice", visit: 2), hasArchive: true)
    let numbers11 = try await fixture.numbers(in: room)
    #expect(numbers11 == Array(1...310))
  }

  @Test func `entered before the session's own archive is read, its archive is read all the same`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...20)
    let synchronizer = fixture.synchronizer()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.channelOpened(archive)
    let view = RoomMembership(nick: "alice", visit: 1)
    fixture.rooms.set(view, of: room)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    await synchronizer.sessionStarted(.fixture, over: archive)
    let numbers12 = try await fixture.numbers(in: room)
    #expect(numbers12 == Array(1...20))
    await fixture.say(21, in: room, archive, to: synchronizer)
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: room, with: nil)
    #expect(ranges.map(\.end.id) == ["r21"])
  }

  @Test func `what one said in a room that one is not in is one's own`() async throws {
    let (fixture, archive) = try await prepared(1...1)
    await archive.setEntries(said(1...9) + said(10...12, by: "al") + said(13...15), of: room)
    fixture.clock.set(ArchiveFixture.stamp(16))
    let synchronizer = await fixture.signIn(to: archive)
    fixture.rooms.set(RoomMembership(nick: "al"), of: room, phase: .outside)
    #expect(try await synchronizer.fetchOlder(in: room) == .fetched)
    let own = try await fixture.database.timeline.latest(99, in: room).filter {
      $0.direction == .outgoing
    }
    #expect(own.map(\.body) == ["text 10", "text 11", "text 12"])
  }

  @Test func `a room of which the own name is not known yields nothing until it is entered`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...20)
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: room) == .offline)
    #expect(try await fixture.numbers(in: room).isEmpty)
  }

  // MARK: Private messages (XEP-0045 §7.5)

  /// Returns the private messages with an occupant, of all in the account's archive.
  private func whispers(_ numbers: ClosedRange<Int>, with nick: String, in fixture: ArchiveFixture)
    -> [ScriptedArchive.Entry]
  {
    numbers.map { number in
      var entry = fixture.entry(number, from: room.with(resource: nick))
      var element = entry.message.element
      element.append(Element("x", XEP0045.user))
      entry = .init(id: entry.id, stamp: entry.stamp, message: MessageStanza(element))
      return entry
    }
  }

  @Test(arguments: [true, false])
  func `the past of private messages is in the account's archive, not in the room's`(isInside: Bool)
    async throws
  {
    let (fixture, archive) = try await prepared(1...300)
    let bob = try #require(room.with(resource: "bob"))
    let carol = try #require(room.with(resource: "carol"))
    // The newest page is of somebody else.
    await archive.append(
      whispers(1...40, with: "bob", in: fixture) + whispers(41...60, with: "carol", in: fixture)
        + fixture.entries(61...160))
    let synchronizer = await fixture.signIn(to: archive)
    if isInside {
      await synchronizer.roomEntered(
        room, as: RoomMembership(nick: "alice", visit: 1), hasArchive: true)
    }
    let before = await archive.queries.count
    #expect(try await synchronizer.fetchOlder(in: bob) == .fetched)
    #expect(await archive.asked.dropFirst(before).allSatisfy { $0 == fixture.account })
    #expect(await archive.queries.dropFirst(before).allSatisfy { $0.with == bob })
    while try await synchronizer.fetchOlder(in: bob) == .fetched {}
    let numbers13 = try await fixture.numbers(in: bob)
    #expect(numbers13 == Array(1...40))
    #expect(try await synchronizer.fetchOlder(in: bob) == .beginning)
    // What was learnt of bob says nothing of carol, and nothing of the room.
    let peers = try await [bob, carol, room].asyncMap {
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: $0).count
    }
    #expect(peers == [1, 0, 0])
    #expect(
      try await fixture.database.archiveRanges.ranges(of: room, with: nil).count
        == (isInside ? 1 : 0))
  }

  @Test
  func `what another client wrote to one occupant of a room without a mark is for them alone`()
    async throws
  {
    let (fixture, archive) = try await prepared(1...1)
    fixture.rooms.set(nil, of: room, phase: .outside)
    let bob = try #require(room.with(resource: "bob"))
    let phone = fixture.account.with(resource: "phone")
    // The reply is not marked, either.
    let entries = [
      fixture.entry(1, from: bob), fixture.entry(2, from: phone, to: bob),
      fixture.entry(3, from: bob),
    ]
    await archive.append(
      entries + [fixture.entry(4, from: phone, to: fixture.bob.with(resource: "x"))])
    // Messages that arrive then come before the archive contains them.
    let copy = Stanza.message(
      from: fixture.account.description,
      Element(
        "sent", XEP0280Carbon.namespace, [:],
        [
          Element(
            "forwarded", XEP0280Carbon.forwardNamespace, [:], [fixture.live(entries[1]).element])
        ]))
    await fixture.receiver().receive([copy, fixture.live(entries[2])])
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers(in: bob) == [1, 2, 3])
    #expect(try await fixture.numbers(in: room) == [])
    #expect(try await fixture.numbers(in: fixture.bob) == [4])
  }

  @Test func `a hole in a room is none in private messages with an occupant`() async throws {
    let (fixture, archive) = try await prepared(1...20)
    let first = await fixture.signIn(to: archive)
    await first.roomEntered(room, as: RoomMembership(nick: "alice", visit: 1), hasArchive: true)
    await first.sessionEnded()
    await archive.setEntries(said(1...520), of: room)
    fixture.clock.set(ArchiveFixture.stamp(521))
    let second = await fixture.signIn(to: archive)
    await second.roomEntered(room, as: RoomMembership(nick: "alice", visit: 2), hasArchive: true)
    #expect(try await second.holes(in: room).count == 1)
    #expect(try await second.holes(in: try #require(room.with(resource: "bob"))).isEmpty)
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var results: [T] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
