import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

/// The meaning of an address, by the content of the database.
@Suite struct AddressBookTests {
  private struct Rooms: RoomReading {
    let all: [Room]
    func rooms() -> [Room] { all }
    func occupants(of room: JID) -> [Occupant] { [] }
  }

  private let alice = JID(local: "alice", domain: "example.org")
  private let den = JID(local: "den", domain: "rooms.example.org")

  private func book(_ database: AccountDatabase, in rooms: JID...) -> AddressBook {
    AddressBook(
      of: alice, rooms: Rooms(all: rooms.map { Room(jid: $0, nick: "al") }),
      conversations: database.conversations, roster: database.roster)
  }

  @Test func `a device is its person's; an occupant of a room is never the room`() async throws {
    let database = try await AccountDatabase.inMemory()
    let bob = JID(local: "bob", domain: "example.net")
    let eve = JID(local: "eve", domain: "example.net")
    let book = book(database, in: den)
    let device = try #require(bob.with(resource: "phone"))
    // It is not known what that is: it may be a room.
    #expect(try await book.meant(by: device) == device)
    try await database.roster.saveContact(Contact(jid: bob, name: nil), version: nil)
    #expect(try await book.meant(by: device) == bob)
    _ = try await database.conversations.open(eve, kind: .direct)
    #expect(try await book.meant(by: try #require(eve.with(resource: "x"))) == eve)
    #expect(try await book.meant(by: try #require(alice.with(resource: "x"))) == alice)
    let occupant = try #require(den.with(resource: "bob"))
    #expect(try await book.meant(by: occupant) == occupant)
    // Their stored address is not reduced either.
    #expect(try await database.conversations.open(occupant, kind: .direct).jid == occupant)
  }

  @Test func `a room that was left and closed stays one`() async throws {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.conversations.open(den, kind: .room)
    try await database.conversations.hide(den)
    let occupant = try #require(den.with(resource: "bob"))
    #expect(try await book(database).meant(by: occupant) == occupant)
    #expect(try await book(database).isRoom(den))
  }

  @Test func `an unknown occupant of a room keeps their address, whatever else has it`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let occupant = try #require(den.with(resource: "bob"))
    let word = IncomingMessage(
      conversation: occupant, sender: occupant, body: "psst", sentAt: .now, originID: "o")
    _ = try await database.messages.insert([word]) { _ in true }
    try await database.roster.saveContact(Contact(jid: den, name: nil), version: nil)
    #expect(try await book(database).meant(by: occupant) == occupant)
  }
}
