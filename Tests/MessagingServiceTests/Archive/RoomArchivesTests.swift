import NatterCore
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// The order in which archives of rooms are read.
@Suite struct RoomArchivesTests {
  /// Reads archives for as long as the test says.
  private actor Archives: RoomArchiveSyncing {
    private(set) var begun: [JID] = []
    private(set) var left: [JID] = []
    private var waiting: [JID: CheckedContinuation<Void, Never>] = [:]

    func roomEntered(_ room: JID, as view: RoomMembership, hasArchive: Bool) async {
      begun.append(room)
      await withCheckedContinuation { waiting[room] = $0 }
    }
    func roomLeft(_ room: JID) { left.append(room) }
    func finish(_ room: JID) { waiting.removeValue(forKey: room)?.resume() }
  }

  private struct Rooms: RoomViewing {
    let known: Set<JID>
    func views() -> [JID: RoomMembership] {
      Dictionary(
        uniqueKeysWithValues: known.map {
          ($0, RoomMembership(nick: "alice", occupantID: nil, hasPast: false, visit: 1))
        })
    }
  }

  @Test func `archives of several rooms are read at a time, the visits to one in their order`()
    async throws
  {
    let rooms = (0..<40).map { JID(local: "r\($0)", domain: "rooms.example.org") }
    let archives = Archives()
    let reader = RoomArchives(archives: archives, rooms: Rooms(known: Set(rooms)))
    let hub = EventHub()
    let events = hub.events()
    let work = Task { await reader.follow(events) }
    for room in rooms { hub.publish(.roomEntered(room, hasArchive: true)) }
    // As many as there are lanes: forty rooms leave none of them empty.
    try await until { await archives.begun.count == RoomArchives.width }
    let first = await archives.begun[0]
    hub.publish(.roomsChanged([Room(jid: first, nick: "alice", phase: .outside)]))
    #expect(await archives.left.isEmpty)
    try await until {
      for room in await archives.begun { await archives.finish(room) }
      let begun = await archives.begun.count
      return await archives.left == [first] && begun == rooms.count
    }
    #expect(Set(await archives.begun) == Set(rooms))
    #expect(await archives.begun.count == rooms.count)
    work.cancel()
  }

  @Test func `a room that was left meanwhile is not read`() async throws {
    let room = JID(local: "gone", domain: "rooms.example.org")
    let other = JID(local: "here", domain: "rooms.example.org")
    let archives = Archives()
    let reader = RoomArchives(archives: archives, rooms: Rooms(known: [other]))
    let hub = EventHub()
    let events = hub.events()
    let work = Task { await reader.follow(events) }
    hub.publish(.roomEntered(room, hasArchive: true))
    hub.publish(.roomEntered(other, hasArchive: true))
    try await until { await archives.begun == [other] }
    await archives.finish(other)
    work.cancel()
  }
}
