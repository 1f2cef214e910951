import NatterCore
import TestSupport
import Testing
import XMPP

@testable import RoomService

/// The address of a user is not joined like a room's: their conversation would become one.
@Suite struct PersonAddressTests {
  private let bob = JID(local: "bob", domain: "example.net")

  private func service(_ known: FakePorts, _ store: MemoryBookmarkStore) -> AccountRooms {
    let alice = JID(local: "alice", domain: "example.org")
    return AccountRooms.fixture(
      store, addresses: AddressBook(of: alice, rooms: nil, conversations: known, roster: known))
  }

  @Test(arguments: [
    FakePorts(contacts: [.init(jid: JID(local: "bob", domain: "example.net"), name: nil)]),
    FakePorts(conversations: [.init(jid: JID(local: "bob", domain: "example.net"))]),
  ])
  func `an address that is known as a person's is not entered, and nothing changes`(
    known: FakePorts
  )
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = service(known, store)
    for channel in [nil, RoomChannel()] {
      if let channel { await service.sessionStarted(.fixture, over: channel) }
      do {
        try await service.join(bob, nick: nil, password: nil)
        Issue.record("he was entered")
      } catch let error as NatterError {
        #expect(error.key == "error.room.isPerson" && error.arguments["address"] == "\(bob)")
      }
      #expect(await service.rooms().isEmpty)
      #expect(await store.stored.isEmpty)
      #expect(await store.opened.isEmpty)
      #expect(await service.route(to: bob) == .direct)
      #expect(await channel?.sent ?? [] == [])
    }
  }

  @Test func `a room that was taken for a person is entered once its server says what it is`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = service(FakePorts(conversations: [Conversation(jid: RoomStanza.room)]), store)
    await service.sessionStarted(.fixture, over: RoomChannel(features: [XEP0045.namespace]))
    try await service.join(RoomStanza.room, nick: nil, password: nil)
    #expect(await store.opened == [RoomStanza.room])
  }

  @Test func `what is known as a room is entered, whatever else has its address`() async throws {
    let store = MemoryBookmarkStore(Bookmark(room: RoomStanza.room))
    let known = FakePorts(contacts: [Contact(jid: RoomStanza.room, name: nil)])
    try await service(known, store).join(RoomStanza.room, nick: nil, password: nil)
    let left = Conversation(jid: RoomStanza.room, kind: .room)
    let other = MemoryBookmarkStore()
    try await service(FakePorts(conversations: [left]), other)
      .join(RoomStanza.room, nick: nil, password: nil)
    #expect(await store.opened == [RoomStanza.room])
    #expect(await other.opened == [RoomStanza.room])
  }
}
