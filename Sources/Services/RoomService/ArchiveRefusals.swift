import NatterCore
import XMPP

/// The rooms that announce an archive and did not let it be read in the last visit: they are asked
/// for their history at the next join, even after a restart.
final class ArchiveRefusals {
  /// `true` if room archives are read after joining.
  private let readsArchives: Bool
  private let registry: RoomRegistry

  init(registry: RoomRegistry, readsArchives: Bool) {
    self.registry = registry
    self.readsArchives = readsArchives
  }

  /// Returns `true` if the archive of a room is read after joining: then the room need not send its
  /// history.
  func readsArchive(of room: Room) -> Bool {
    readsArchives && room.traits.contains(.archive)
      && registry.rooms[room.jid]?.bookmark.refusesArchive != true
  }

  func refused(_ room: JID) async {
    guard registry.rooms[room]?.bookmark.refusesArchive == false else { return }
    registry.rooms[room]?.bookmark.refusesArchive = true
    await registry.save(room)
  }

  /// Forgets the refusal of a room that was joined: it is asked anew in each visit.
  func forget(_ room: JID) {
    guard registry.rooms[room]?.bookmark.refusesArchive == true else { return }
    registry.rooms[room]?.bookmark.refusesArchive = false
    registry.schedule(.store(room))
  }
}
