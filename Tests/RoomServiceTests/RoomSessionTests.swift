import NatterCore
import Testing
import XMPP

@testable import RoomService

@Suite struct RoomSessionTests {
  private let account = JID(local: "alice", domain: "example.org")
  private let room = RoomStanza.room

  @Test func `a resumption keeps everything but the channel`() async throws {
    var session = RoomSession(account: account, channel: RoomChannel())
    session.start()
    session.hasFetchedBookmarks = true
    session.changed = [room]
    session.farewells = [try #require(room.with(resource: "alice"))]
    let (reading, channel) = (await session.bookmarks.reading, RoomChannel())
    session.resume(account: account, over: channel)
    #expect(session.channel as? RoomChannel === channel)
    #expect(await session.bookmarks.reading === reading)
    #expect(session.hasStarted && session.hasFetchedBookmarks)
    #expect(session.changed == [room] && session.farewells.count == 1)
  }

  @Test func `the start forgets who was left before, and keeps who was joined`() throws {
    var session = RoomSession(account: account, channel: RoomChannel())
    session.early = [room]
    session.farewells = [try #require(room.with(resource: "alice"))]
    session.start()
    #expect(session.hasStarted && session.farewells.isEmpty && session.early == [room])
  }

  @Test func `a room that is entered again is not left any more`() throws {
    let other = JID(local: "attic", domain: "rooms.example.org")
    var session = RoomSession(account: account, channel: RoomChannel())
    session.farewells = [
      try #require(room.with(resource: "alice")), try #require(other.with(resource: "alice")),
    ]
    session.forgetFarewells(to: room)
    #expect(session.farewells.map(\.bare) == [other])
  }
}
