import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// The archive of each room is kept in step like that of the account.
@Suite struct RoomArchiveTests {
  let room = JID(local: "hill", domain: "rooms.example.org")

  private func entry(
    _ number: Int, by nick: String = "bob", _ change: (inout Element) -> Void = { _ in }
  ) -> ScriptedArchive.Entry {
    .said(number, in: room, by: nick, change)
  }

  private func live(_ entry: ScriptedArchive.Entry, by owner: JID) -> Stanza {
    entry.reflected(by: owner)
  }

  private func enter(_ fixture: ArchiveFixture, _ archive: ScriptedArchive) async throws
    -> ArchiveService
  {
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(room, as: RoomMembership(nick: "alice"), hasArchive: true)
    return synchronizer
  }

  @Test func `entered for the first time: the newest page, and nothing of it is unread`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries((1...300).map { entry($0) }, of: room)
    let synchronizer = try await enter(fixture, archive)
    #expect(try await fixture.numbers(in: room) == Array(251...300))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 0)
    while try await synchronizer.fetchOlder(in: room) == .fetched {}
    #expect(try await fixture.numbers(in: room) == Array(1...300))
    // The room is asked, and by no address.
    #expect(await archive.asked.last == room)
    #expect(await archive.queries.last?.with == nil)
  }

  @Test func `an occupant who took the nick during an absence has read nothing for the user`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries((1...20).map { entry($0) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(21))
    await (try enter(fixture, archive)).sessionEnded()
    await archive.setEntries(
      (1...24).map { entry($0) } + [entry(25, by: "alice")], of: room)
    fixture.clock.set(ArchiveFixture.stamp(30))
    _ = try await enter(fixture, archive)
    #expect(try await fixture.numbers(in: room) == Array(1...25))
    #expect(try await fixture.database.conversations.conversation(room)?.unread == 4)
  }

  @Test
  func
    `entered again: what was said meanwhile is told when it is read, and who follows archives is asked`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries((1...20).map { entry($0) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(21))
    await (try enter(fixture, archive)).sessionEnded()
    await archive.setEntries((1...25).map { entry($0) }, of: room)
    let follower = PageFollower()
    let synchronizer = fixture.synchronizer(followers: [follower])
    await synchronizer.signIn(to: archive)
    let events = fixture.hub.events()
    await synchronizer.roomEntered(room, as: RoomMembership(nick: "alice"), hasArchive: true)
    let sent = await events.published(on: fixture.hub).compactMap { event -> String? in
      switch event {
      case .catchUpChanged(let isRunning): isRunning ? "reading" : "read"
      case .messagesStored(let messages): "\(messages.count) messages"
      default: nil
      }
    }
    #expect(sent == ["reading", "5 messages", "read"])
    // What other clients say of the room's messages may have waited for them.
    #expect(await follower.pages == [0])
  }

  @Test func `entered again: what was said meanwhile comes, with a hole that is filled`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries((1...20).map { entry($0) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(21))
    let first = try await enter(fixture, archive)
    await archive.setEntries((1...21).map { entry($0) }, of: room)
    await first.receive([live(entry(21), by: room)])
    await first.sessionEnded()
    fixture.clock.set(ArchiveFixture.stamp(522))
    await archive.setEntries((1...521).map { entry($0, by: $0 == 300 ? "alice" : "bob") }, of: room)
    let second = try await enter(fixture, archive)
    #expect(await archive.queries.contains { $0.page.position == .after("r21") })
    #expect(try await second.holes(in: room).count == 1)
    await second.fillHoles()
    #expect(try await second.holes(in: room).isEmpty)
    #expect(try await Set(fixture.numbers(in: room)) == Set((1...521)).subtracting([21]))
    let own = try await fixture.database.timeline.latest(1000, in: room).filter {
      $0.direction == .outgoing
    }
    #expect(own.map(\.body) == ["text 300"])
  }

  @Test func `once left, what is said there moves nothing`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries((1...20).map { entry($0) }, of: room)
    let synchronizer = try await enter(fixture, archive)
    await synchronizer.roomLeft(room)
    await synchronizer.receive([live(entry(21), by: room)])
    await synchronizer.sessionEnded()
    #expect(
      try await fixture.database.archiveRanges.ranges(of: room, with: nil).map(\.end.id) == ["r20"])
  }

  @Test
  func `ids that the room did not set move nothing, nor do those of a room that was not entered`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await archive.setEntries((1...20).map { entry($0) }, of: room)
    let synchronizer = try await enter(fixture, archive)
    let elsewhere = JID(local: "elsewhere", domain: "rooms.example.org")
    await synchronizer.receive([
      live(entry(66), by: elsewhere), live(entry(67), by: fixture.account),
      live(
        .init(
          id: "r68", stamp: fixture.now,
          message: MessageStanza(entry(68) { $0["from"] = "\(elsewhere)/x" }.message.element)),
        by: elsewhere),
    ])
    await synchronizer.sessionEnded()
    #expect(
      try await fixture.database.archiveRanges.ranges(of: room, with: nil).map(\.end.id) == ["r20"])
    #expect(try await fixture.database.archiveRanges.ranges(of: elsewhere, with: nil).isEmpty)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
        == ["a3"])
  }

  @Test func `a room's archive speaks for no one outside the room`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries(
      [
        entry(1), entry(2) { $0["from"] = "bob@example.org/x" },
        entry(3) { ($0["from"], $0["type"]) = ("bob@example.org/x", "chat") },
        entry(4) { $0["from"] = "hill@rooms.example.org" },
        entry(5) { $0["from"] = nil }, entry(6) { $0["type"] = "chat" },
      ], of: room)
    _ = try await enter(fixture, archive)
    // The fourth is what the room says in its own name.
    #expect(try await fixture.numbers(in: room) == [1, 4])
    #expect(try await fixture.numbers(in: fixture.bob) == [])
  }

  @Test func `subjects without id and body, and notices to moderators, are no trouble`()
    async throws
  {
    // ejabberd's archive of a room has both.
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    let subject = Element(
      "message", Namespace.client, ["type": "groupchat", "from": "\(room)/bob"],
      [Element("subject", Namespace.client, text: "Night")])
    await archive.setEntries(
      [
        entry(1),
        .init(id: "r2", stamp: ArchiveFixture.stamp(2), message: MessageStanza(subject)),
        entry(3) {
          $0.append(
            Element(
              "x", XEP0045.user, [:],
              [Element("item", XEP0045.user, ["jid": "bob@example.org/real"])]))
        },
      ], of: room)
    let synchronizer = try await enter(fixture, archive)
    let messages = try await fixture.database.timeline.latest(9, in: room)
    #expect(messages.map(\.body) == ["text 1", "text 3"])
    // Who it really was is not to be seen, nor mistaken for another conversation.
    #expect(messages.map(\.sender.description) == ["\(room)/bob", "\(room)/bob"])
    #expect(try await fixture.numbers(in: fixture.bob).isEmpty)
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: room, with: nil)
    #expect(ranges.map(\.start.id) == ["r1"] && ranges.map(\.end.id) == ["r3"])
  }

  @Test func `occupant ids identify the sender, where a room has them`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    func occupant(_ id: String) -> (inout Element) -> Void {
      { $0.append(Element("occupant-id", "urn:xmpp:occupant-id:0", ["id": id])) }
    }
    await archive.setEntries(
      [entry(1, by: "alice", occupant("other")), entry(2, by: "al", occupant("me"))], of: room)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(
      room, as: RoomMembership(nick: "alice", occupantID: "me"), hasArchive: true)
    #expect(
      try await fixture.database.timeline.latest(9, in: room).map(\.direction)
        == [.incoming, .outgoing])
  }

  @Test func `a room without an archive is no error`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(room, as: RoomMembership(nick: "alice"), hasArchive: false)
    #expect(try await synchronizer.fetchOlder(in: room) == .beginning)
    #expect(await !synchronizer.hasArchive(of: room))
    #expect(await synchronizer.hasArchive(of: fixture.bob))
    // It says that it has one, and has not.
    await synchronizer.roomEntered(room, as: RoomMembership(nick: "alice"), hasArchive: true)
    #expect(
      try await synchronizer.fetchOlder(in: room) == .refused(HistoryRefusal(.absent)))
    #expect(await !synchronizer.hasArchive(of: room))
  }
}

/// Counts the messages of each page that is reported.
private actor PageFollower: ArchiveFollowing {
  private(set) var pages: [Int] = []
  func archived(_ messages: [MessageStanza], areNews: Bool) async { pages.append(messages.count) }
  func archiving(_ messages: [MessageStanza], areNews: Bool) async {}
}
