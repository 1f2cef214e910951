import Diagnostics
import NatterCore
import XMPP

/// The rooms of an account for reading its archive: an address counts as no room's only once the
/// bookmarks of the session are known. On a new device, an occupant's private message would
/// otherwise be stored in the conversation of the room.
///
/// Its methods may wait for answers of the server, unless only `bookmarked` is to wait.
package struct BookmarkedRooms: RoomViewing, RoomReading {
  private let service: AccountRooms
  private let waits: Bool
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameter waits: `false` if only `bookmarked` waits for the bookmarks.
  package init(
    _ service: AccountRooms, waits: Bool = true,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.service = service
    self.waits = waits
    self.sleep = sleep
  }

  package func hosts(_ address: JID) async -> Bool {
    if await service.hosts(address) { return true }
    guard waits, let reading = await service.session?.bookmarks.reading, await !reading.isOver,
      await !service.isPerson(address.bare)
    else { return false }
    await reading.ended(sleep: sleep)
    return await service.hosts(address)
  }

  package var bookmarked: any RoomViewing { BookmarkedRooms(service, sleep: sleep) }
  package func knows(_ room: JID) async -> Bool { await service.knows(room) }
  package func views() async -> [JID: RoomMembership] { await service.views() }
  package func rooms() async -> [Room] { await service.rooms() }
  package func occupants(of room: JID) async -> [Occupant] { await service.occupants(of: room) }
  package func archiveRefused(of room: JID) async { await service.archiveRefused(of: room) }
}
