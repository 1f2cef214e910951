import Diagnostics
import NatterCore
import XMPP

/// The rooms of an account for reading its archive: an address counts as no room's only once the
/// bookmarks of the session are known. On a new device, an occupant's private message would
/// otherwise be stored in the conversation of the room.
///
/// Its methods may wait for answers of the server, unless only `bookmarked` is to wait.
package struct BookmarkedRooms: RoomViewing, RoomReading {
  private let keeper: RoomKeeper
  private let waits: Bool
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameter waits: `false` if only `bookmarked` waits for the bookmarks.
  package init(
    _ keeper: RoomKeeper, waits: Bool = true,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.keeper = keeper
    self.waits = waits
    self.sleep = sleep
  }

  package func hosts(_ address: JID) async -> Bool {
    if await keeper.hosts(address) { return true }
    guard waits, let reading = await keeper.bookmarks?.reading, await !reading.isOver,
      await !isPerson(address.bare)
    else { return false }
    await reading.ended(sleep: sleep)
    return await keeper.hosts(address)
  }

  /// Returns whether a bare address is the account's own or a contact's. Most messages are from
  /// such addresses, and all reading would wait for the bookmarks.
  private func isPerson(_ address: JID) async -> Bool {
    if address == keeper.account { return true }
    do { return try await keeper.addresses?.isContact(address) ?? false } catch {
      keeper.log.warning("looking for a contact failed: \(error)")
      return false
    }
  }

  package var bookmarked: any RoomViewing { BookmarkedRooms(keeper, sleep: sleep) }
  package func knows(_ room: JID) async -> Bool { await keeper.knows(room) }
  package func views() async -> [JID: RoomMembership] { await keeper.views() }
  package func rooms() async -> [Room] { await keeper.rooms() }
  package func occupants(of room: JID) async -> [Occupant] { await keeper.occupants(of: room) }
  package func archiveRefused(of room: JID) async { await keeper.archiveRefused(of: room) }
}
