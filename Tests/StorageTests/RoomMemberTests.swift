import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct RoomMemberTests {
  private let room = JID(local: "verona", domain: "rooms.example.org")
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = RoomMember(
    jid: JID(local: "bob", domain: "example.org"), affiliation: .owner, nick: "bob")

  @Test func `the account becomes an owner and stops being one, and others stay as they are`()
    async throws
  {
    let store = try await AccountDatabase.inMemory().bookmarks
    try await store.replaceMembers(of: room, with: [bob])
    try await store.setOwnership(of: room, by: alice, false)
    #expect(try await store.members(of: room) == [bob])
    for _ in 0..<2 {
      try await store.setOwnership(of: room, by: alice, true)
      #expect(
        try await store.members(of: room)
          == [RoomMember(jid: alice, affiliation: .owner, nick: nil), bob])
    }
    try await store.setOwnership(of: room, by: alice, false)
    #expect(try await store.members(of: room) == [bob])
  }

  @Test func `another affiliation ends only when the account becomes an owner`() async throws {
    let store = try await AccountDatabase.inMemory().bookmarks
    let member = RoomMember(jid: alice, affiliation: .member, nick: "al")
    try await store.replaceMembers(of: room, with: [member])
    try await store.setOwnership(of: room, by: alice, false)
    #expect(try await store.members(of: room) == [member])
    try await store.setOwnership(of: room, by: alice, true)
    #expect(
      try await store.members(of: room)
        == [RoomMember(jid: alice, affiliation: .owner, nick: nil)])
  }

  @Test func `an owner's nick stays when the room says again that they own it`() async throws {
    let store = try await AccountDatabase.inMemory().bookmarks
    try await store.replaceMembers(of: room, with: [bob])
    try await store.setOwnership(of: room, by: bob.jid, true)
    #expect(try await store.members(of: room) == [bob])
  }
}
