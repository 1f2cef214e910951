import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// The rooms of an account on a new device, before and after its bookmarks are known.
@Suite(.timeLimit(.minutes(6))) struct BookmarkedRoomsTests {
  private let room = RoomStanza.room
  private let bookmarked = XEP0402Bookmark(room: RoomStanza.room, autojoins: false).item
  private let clock = ManualClock()
  private let service = AccountRooms.fixture()

  private var rooms: BookmarkedRooms {
    BookmarkedRooms(service, sleep: { [clock] in try await clock.sleep(for: $0) })
  }

  private func asking() -> Task<Bool, Never> {
    Task { [rooms, room] in await rooms.hosts(room) }
  }

  private func channel(_ answer: @escaping @Sendable () throws -> Void = {}) -> RoomChannel {
    let answered = Element(
      "iq", Namespace.client, ["type": "result"],
      [
        Element(
          "pubsub", Namespace.pubSub, [:],
          [
            Element(
              "items", Namespace.pubSub, ["node": XEP0402Bookmark.namespace], [bookmarked])
          ])
      ])
    return RoomChannel { iq in
      guard iq.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub) != nil
      else { return nil }
      try answer()
      return answered
    }
  }

  @Test func `an address is looked up once the bookmarks are known`() async throws {
    await service.sessionStarted(.fixture, over: channel())
    #expect(await service.hosts(room) == false)
    let asking = asking()
    #expect(await clock.waits(untilSleeping: 1))
    // The bookmarks are read while the caller waits.
    try await working(service) { #expect(await asking.value) }
  }

  @Test func `bookmarks that cannot be read are not waited for`() async throws {
    let channel = channel { throw ChannelError.timedOut }
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      #expect(await rooms.hosts(room) == false)
    }
  }

  @Test func `a server that does not answer is waited for once, and not without limit`()
    async throws
  {
    // Without `run`, nothing reads the bookmarks.
    await service.sessionStarted(.fixture, over: channel())
    let asking = asking()
    #expect(await clock.waits(untilSleeping: 1))
    clock.advance(by: BookmarkReading.limit)
    #expect(await asking.value == false)
    #expect(await rooms.hosts(room) == false)
    #expect(clock.sleeps.isEmpty)
  }

  @Test func `a cancelled caller does not wait`() async throws {
    await service.sessionStarted(.fixture, over: channel())
    let asking = asking()
    #expect(await clock.waits(untilSleeping: 1))
    asking.cancel()
    #expect(await asking.value == false)
  }

  @Test func `the bookmarks are not waited for because of a contact or the account itself`() async {
    let alice = JID(local: "alice", domain: "example.org")
    let bob = JID(local: "bob", domain: "example.org")
    let known = FakePorts(contacts: [Contact(jid: bob)])
    let service = AccountRooms.fixture(
      addresses: AddressBook(of: alice, rooms: nil, conversations: known, roster: known))
    // Without `run`, nothing reads the bookmarks.
    await service.sessionStarted(.fixture, over: channel())
    let rooms = BookmarkedRooms(service, sleep: { [clock] in try await clock.sleep(for: $0) })
    for jid in [alice, bob] { #expect(await rooms.hosts(jid) == false) }
    let asking = Task { [room] in await rooms.hosts(room) }
    #expect(await clock.waits(untilSleeping: 1))
    asking.cancel()
    #expect(await asking.value == false)
  }

  @Test func `without a session nothing is waited for`() async {
    #expect(await rooms.hosts(room) == false)
  }
}
