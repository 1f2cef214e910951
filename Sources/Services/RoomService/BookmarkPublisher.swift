import Diagnostics
import NatterCore
import XMPP

/// Has the server keep the bookmarks that were changed here (XEP-0402 §3).
final class BookmarkPublisher {
  private let registry: RoomRegistry
  private let queue: PendingChangeSender
  /// Bookmarks published in this run and not read back since: a killed server may lose them.
  private var unconfirmed: Set<JID> = []

  init(registry: RoomRegistry) {
    self.registry = registry
    queue = PendingChangeSender("a change of a bookmark", hub: registry.hub) {
      [log = registry.log] in
      log.warning("\($0)")
    }
  }

  /// Records that the server has shown the bookmarks of these rooms.
  func confirm(_ rooms: [JID]) { unconfirmed.subtract(rooms) }

  /// Returns `true` if the server was sent the bookmark in this run, and has not shown it since.
  func isUnconfirmed(_ room: JID) -> Bool { unconfirmed.contains(room) }

  /// Sends a bookmark, with the rule of the room if one was chosen. A refusal is stored with it and
  /// reported once; the next session tries again.
  /// - Returns: `true` if the server has it now.
  @discardableResult func publish(_ jid: JID) async -> Bool {
    guard let bookmarks = registry.session?.bookmarks,
      let bookmark = registry.rooms[jid]?.bookmark
    else { return false }
    var isAccepted = false
    await queue.submitAll {
      [bookmark]
    } _: { bookmark in
      do {
        isAccepted = try await submit(bookmark, to: bookmarks)
      } catch let error as NatterError where error.notice == bookmark.refusal {
        registry.log.info("a bookmark is refused again")
      }
    }
    return isAccepted
  }

  private func submit(_ bookmark: Bookmark, to bookmarks: ServerBookmarks) async throws -> Bool {
    let jid = bookmark.room
    var isInNode = false
    let isAccepted = try await queue.submit {
      isInNode = try await bookmarks.publish(
        XEP0402Bookmark(
          room: jid, name: bookmark.name, nick: bookmark.nick, password: bookmark.password,
          autojoins: bookmark.autojoins))
    } refused: { refusal in
      registry.rooms[jid]?.bookmark.refusal = refusal
      await registry.save(jid)
    }
    guard isAccepted else { return false }
    registry.rooms[jid]?.bookmark.isPublished = isInNode
    registry.rooms[jid]?.bookmark.refusal = nil
    if isInNode { unconfirmed.insert(jid) }
    // Unless it was changed again meanwhile.
    if let now = registry.rooms[jid]?.bookmark, now.autojoins == bookmark.autojoins,
      now.password == bookmark.password
    {
      registry.rooms[jid]?.bookmark.isChanged = false
    }
    await registry.save(jid)
    return true
  }
}
