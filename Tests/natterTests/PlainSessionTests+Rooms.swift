import Foundation
import NatterCore
import Storage
import Testing
import XMPP

@testable import natter

// Rooms that do not let one in, and those that one is invited to; what is missing between two
// lines.
extension PlainSessionTests {
  private var room: JID { JID(local: "den", domain: "rooms.natter.test") }

  @Test func `why a room refuses entry is shown once, and again when the user asks again`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines)
    func fails() {
      session.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
      session.handle(
        .roomsChanged([Room(jid: room, nick: "alice", exit: RoomExit(.notMember))]))
    }
    func count() -> Int { lines.all.count { $0.contains("members only") } }
    #expect(await session.take("/join \(room)"))
    fails()
    #expect(count() == 1, "\(lines.all)")
    // Only tried again.
    fails()
    #expect(count() == 1)
    #expect(await session.take("/join \(room)"))
    fails()
    #expect(count() == 2, "\(lines.all)")
  }

  @Test func `what was printed of the conversation that is talked to is read with the next line`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let session = try await session(Lines(), beginning: bob, in: database)
    func unread() async throws -> Int? {
      try await database.conversations.conversation(bob)?.unread
    }
    func comes(_ id: String) async throws {
      let message = IncomingMessage(
        conversation: bob, sender: bob, body: "words \(id)", sentAt: Date(), originID: id,
        stanzaID: id, isDelayed: false)
      let stored = try await database.messages.insert([message]) { _ in true }
      session.handle(.messagesStored(stored.messages))
    }
    try await comes("o1")
    // Nobody may be there to see it.
    #expect(try await unread() == 1)
    #expect(await session.take(""))
    #expect(try await unread() == 0)
    try await comes("o2")
    #expect(await session.take("/chat carol@natter.test"))
    #expect(try await unread() == 0)
  }

  @Test func `invitations of earlier runs are shown once, with why, and are answered`()
    async throws
  {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let other = JID(local: "attic", domain: "rooms.natter.test")
    let invitation = RoomInvitation(
      room: room, inviter: bob, reason: "it is\nwarm", isMediated: false)
    try await database.bookmarks.save(invitation, password: nil)
    try await database.bookmarks.save(
      RoomInvitation(room: other, inviter: bob, isMediated: false), password: nil)
    await session.follow(
      AsyncStream {
        $0.yield(.roomInvitation(invitation))
        $0.finish()
      })
    #expect(
      lines.all.filter { $0.contains("invites you") }.sorted() == [
        "bob@natter.test invites you to a room (\"it is warm\"). "
          + "/join \(room) accepts, /deny \(room) declines.",
        "bob@natter.test invites you to a room. /join \(other) accepts, /deny \(other) declines.",
      ])
    #expect(await session.take("/deny \(room)"))
    #expect(lines.all.last == "You declined the invitation to \(room).", "\(lines.all)")
    #expect(await session.take("/accept \(other)"))
    #expect(session.current == other, "\(lines.all)")
    #expect(try await database.bookmarks.invitations().isEmpty)
    // Once more from the same is news again.
    session.handle(.roomInvitationSettled(room))
    session.handle(.roomInvitation(invitation))
    #expect(lines.all.last?.hasPrefix("bob@natter.test invites you") == true)
  }

  @Test func `two lines between which messages are missing are not printed as if they followed`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines) { ports in
      ports.history = Gap(
        hole: HistoryHole(
          after: Date(timeIntervalSince1970: 199), before: Date(timeIntervalSince1970: 800)))
    }
    func text(_ number: Int64) -> Message { message(number, "t \(number).", from: bob) }
    await session.follow(
      AsyncStream {
        $0.yield(.messagesStored([text(198), text(199)]))
        $0.yield(.historyStored([text(800), text(801)], missed: true))
        $0.yield(.messagesStored([text(802)]))
        $0.finish()
      })
    let reported = lines.all.compactMap { line in
      line.hasPrefix("--") ? line : line.firstMatch(of: /t [0-9]+\./).map { String($0.output) }
    }
    #expect(
      reported == [
        "t 198.", "t 199.", "-- messages may be missing here --", "t 800.", "t 801.", "t 802.",
      ])
  }
}

/// A conversation with one hole that nobody fills.
private struct Gap: HistoryFetching {
  let hole: HistoryHole

  func fetchOlder(in conversation: JID) -> HistoryOutcome { .offline }
  func holes(in conversation: JID) -> [HistoryHole] { [hole] }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .offline }
}
