import Diagnostics
import NatterCore
import XMPP

/// The rooms that announce an archive and did not let it be read in the last visit.
struct ArchiveRefusals {
  static let key = "rooms.refusing"

  var rooms: Set<JID> = []
  let memory: (any PreferenceStoring)?
  var isKeeping = false
  var isChanged = false

  init(_ memory: (any PreferenceStoring)?) { self.memory = memory }
}

/// A room that refuses its archive sends its history at the next join, even after a restart.
extension RoomKeeper {
  // Not without `async`: a caller would get the protocol's own, which does nothing.
  package func archiveRefused(of room: JID) async {
    guard rooms[room.bare] != nil, refusals.rooms.insert(room.bare).inserted else { return }
    await keepRefusals()
  }

  /// It was entered: it is asked anew in each visit.
  func forgetRefusal(of room: JID) {
    guard refusals.rooms.remove(room) != nil else { return }
    aside { [weak self] in await self?.keepRefusals() }
  }

  /// What was kept by an earlier run.
  func recalledRefusals() async -> [JID] {
    do {
      let kept = try await refusals.memory?.values()[ArchiveRefusals.key] ?? ""
      return kept.split(separator: "\n").compactMap { JID(parsing: String($0)) }
    } catch {
      // They send their history one join later.
      log.warning("which rooms refuse their archives could not be read: \(error)")
      return []
    }
  }

  private func keepRefusals() async {
    refusals.isChanged = true
    // One at a time: the last word is to be the one that is kept.
    guard let memory = refusals.memory, !refusals.isKeeping else { return }
    refusals.isKeeping = true
    defer { refusals.isKeeping = false }
    while refusals.isChanged {
      refusals.isChanged = false
      let rooms = refusals.rooms.map(\.description).sorted().joined(separator: "\n")
      do {
        try await memory.setValue(rooms.isEmpty ? nil : rooms, for: ArchiveRefusals.key)
      } catch {
        log.warning("which rooms refuse their archives could not be kept: \(error)")
      }
    }
  }
}
