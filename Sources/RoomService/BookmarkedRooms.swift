import NatterCore
import XMPP

/// The rooms of an account for reading its archive: an address counts as no room's only once the
/// bookmarks of the session are known. On a new device, an occupant's private message would
/// otherwise be stored in the conversation of the room.
///
/// Its methods may wait for answers of the server.
package struct BookmarkedRooms: RoomViewing, RoomReading {
  private let keeper: RoomKeeper
  private let sleep: @Sendable (Duration) async throws -> Void

  package init(
    _ keeper: RoomKeeper,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.keeper = keeper
    self.sleep = sleep
  }

  package func hosts(_ address: JID) async -> Bool {
    if await keeper.hosts(address) { return true }
    guard let reading = await keeper.bookmarks?.reading, await !reading.isOver else { return false }
    await reading.ended(sleep: sleep)
    return await keeper.hosts(address)
  }

  package func knows(_ room: JID) async -> Bool { await keeper.knows(room) }
  package func views() async -> [JID: RoomMembership] { await keeper.views() }
  package func rooms() async -> [Room] { await keeper.rooms() }
  package func occupants(of room: JID) async -> [Occupant] { await keeper.occupants(of: room) }
  package func archiveRefused(of room: JID) async { await keeper.archiveRefused(of: room) }
}
