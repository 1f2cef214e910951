import Diagnostics
import NatterCore
import XMPP

/// Has the server keep the bookmarks that were changed here (XEP-0402 §3).
final class BookmarkPublisher {
  private let registry: RoomRegistry
  /// Bookmarks published in this run and not read back since: a killed server may lose them.
  private var unconfirmed: Set<JID> = []

  init(registry: RoomRegistry) { self.registry = registry }

  /// Records that the server has shown the bookmarks of these rooms.
  func confirm(_ rooms: [JID]) { unconfirmed.subtract(rooms) }

  /// Returns `true` if the server was sent the bookmark in this run, and has not shown it since.
  func isUnconfirmed(_ room: JID) -> Bool { unconfirmed.contains(room) }

  /// - Returns: `true` if the server has it now.
  @discardableResult func publish(_ jid: JID) async -> Bool {
    guard let bookmarks = registry.session?.bookmarks,
      let bookmark = registry.rooms[jid]?.bookmark
    else { return false }
    do {
      let isInNode = try await bookmarks.publish(
        XEP0402Bookmark(
          room: jid, name: bookmark.name, nick: bookmark.nick, password: bookmark.password,
          autojoins: bookmark.autojoins))
      registry.rooms[jid]?.bookmark.isPublished = isInNode
      if isInNode { unconfirmed.insert(jid) }
      // Unless it was changed again meanwhile.
      if let now = registry.rooms[jid]?.bookmark, now.autojoins == bookmark.autojoins,
        now.password == bookmark.password
      {
        registry.rooms[jid]?.bookmark.isChanged = false
      }
      await registry.save(jid)
      return true
    } catch {
      // The database has it; the next session tries again.
      registry.log.warning("a bookmark could not be stored at the server: \(error)")
      return false
    }
  }
}
