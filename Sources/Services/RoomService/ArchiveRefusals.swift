import Diagnostics
import NatterCore
import XMPP

/// The rooms that announce an archive and did not let it be read in the last visit: they are asked
/// for their history at the next join, even after a restart.
final class ArchiveRefusals {
  private static let key = "rooms.refusing"

  private var rooms: Set<JID> = []
  /// `true` if room archives are read after joining.
  private let readsArchives: Bool
  private let registry: RoomRegistry
  private let memory: (any PreferenceStoring)?
  private var isStoring = false
  private var isChanged = false

  init(registry: RoomRegistry, readsArchives: Bool, memory: (any PreferenceStoring)?) {
    self.registry = registry
    self.readsArchives = readsArchives
    self.memory = memory
  }

  /// Returns `true` if the archive of a room is read after joining: then the room need not send its
  /// history.
  func readsArchive(of room: Room) -> Bool {
    readsArchives && room.traits.contains(.archive) && !rooms.contains(room.jid)
  }

  func refused(_ room: JID) async {
    guard registry.rooms[room] != nil, rooms.insert(room).inserted else { return }
    await store()
  }

  /// Forgets the refusal of a room that was joined: it is asked anew in each visit.
  func forget(_ room: JID) {
    guard rooms.remove(room) != nil else { return }
    registry.schedule(.storeArchiveRefusals)
  }

  /// Returns the refusals that an earlier run stored.
  func stored() async -> [JID] {
    do {
      let kept = try await memory?.values()[Self.key] ?? ""
      return kept.split(separator: "\n").compactMap { JID(parsing: String($0)) }
    } catch {
      // They send their history one join later.
      registry.log.warning("which rooms refuse their archives could not be read: \(error)")
      return []
    }
  }

  /// Adds what an earlier run stored.
  func restore(_ stored: [JID]) { rooms.formUnion(stored) }

  func store() async {
    isChanged = true
    // One at a time, so that the newest set is the one that stays.
    guard let memory, !isStoring else { return }
    isStoring = true
    defer { isStoring = false }
    while isChanged {
      isChanged = false
      let lines = rooms.map(\.description).sorted().joined(separator: "\n")
      do {
        try await memory.setValue(lines.isEmpty ? nil : lines, for: Self.key)
      } catch {
        registry.log.warning("which rooms refuse their archives could not be kept: \(error)")
      }
    }
  }
}
