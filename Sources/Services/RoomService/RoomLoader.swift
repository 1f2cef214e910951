import Diagnostics
import NatterCore
import XMPP

/// Reads what the database keeps of rooms, once: everything that needs the rooms calls it first.
final class RoomLoader {
  private let registry: RoomRegistry
  private let invitations: InvitationInbox
  private var hasLoaded = false

  init(registry: RoomRegistry, invitations: InvitationInbox) {
    self.registry = registry
    self.invitations = invitations
  }

  func load() async {
    guard !hasLoaded else { return }
    do {
      let stored = try await registry.store.bookmarks()
      let pending = try await registry.store.invitations()
      guard !hasLoaded else { return }
      hasLoaded = true
      invitations.restore(pending)
      for bookmark in stored where registry.rooms[bookmark.room] == nil {
        var state = RoomState(bookmark: bookmark, nick: bookmark.nick ?? registry.defaultNick)
        if bookmark.isWanted { state.update { $0.phase = .entering } }
        registry.rooms[bookmark.room] = state
      }
      await registry.store.reportUnreadable([.bookmark, .notifications]) { [log = registry.log] in
        log.warning("\($0)")
      }
    } catch {
      registry.log.error("reading the rooms failed: \(error)")
    }
  }
}
