import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct RoomDirectoryStoreTests {
  private let service = JID(local: nil, domain: "rooms.example.org")
  private let search = JID(local: "api", domain: "search.example.org", resource: "x")

  private func room(_ name: String, in directory: JID, people: Int? = nil) -> PublicRoom {
    PublicRoom(
      jid: JID(local: name, domain: "rooms.example.org"), directory: directory,
      name: "Name \(name)",
      topic: "über\n\(name)", people: people, language: people.map { _ in "fr" },
      traits: people == nil ? [] : [.archive, .membersOnly], isDescribed: people != nil)
  }

  @Test func `directories and rooms come back as they were stored`() async throws {
    let store = try await AccountDatabase.inMemory().publicRooms
    #expect(try await store.directories() == [])
    let first = RoomDirectory(
      jid: search, name: "Search", kind: .search, isAdded: true,
      readAt: Date(timeIntervalSince1970: 7))
    var second = RoomDirectory(jid: service)
    try await store.save(first)
    try await store.save(second)
    #expect(try await store.directories() == [first, second])
    let rooms = [room("a", in: service, people: 4), room("b", in: service)]
    try await store.replaceRooms(of: service, with: rooms)
    try await store.replaceRooms(of: search, with: [room("a", in: search)])
    #expect(try await store.publicRooms() == [room("a", in: search)] + rooms)

    // A directory that is saved again keeps its rooms.
    second.name = "Rooms"
    try await store.save(second)
    #expect(try await store.publicRooms().count == 3)
  }

  @Test func `what was learnt of a room changes its row and makes none`() async throws {
    let store = try await AccountDatabase.inMemory().publicRooms
    try await store.save(RoomDirectory(jid: service))
    try await store.replaceRooms(of: service, with: [room("a", in: service)])
    try await store.save([room("a", in: service, people: 9), room("new", in: service, people: 1)])
    #expect(try await store.publicRooms() == [room("a", in: service, people: 9)])
    try await store.replaceRooms(of: service, with: [])
    #expect(try await store.publicRooms() == [])
  }

  @Test func `a directory that is removed takes its rooms with it`() async throws {
    let store = try await AccountDatabase.inMemory().publicRooms
    try await store.save(RoomDirectory(jid: service))
    try await store.replaceRooms(of: service, with: [room("a", in: service)])
    try await store.removeDirectory(service)
    #expect(try await store.publicRooms() == [])
    #expect(try await store.directories() == [])
  }
}
