import Diagnostics
import NatterCore
import XMPP

/// Has the server keep the bookmarks that were changed here (XEP-0402 §3).
final class BookmarkPublisher {
  private let registry: RoomRegistry
  private let queue: PendingChangeSender
  /// Bookmarks published in this run and not read back since: a killed server may lose them.
  private var unconfirmed: Set<JID> = []
  /// The announcements that came while a bookmark was being published.
  private var announcements: [JID: Announcements] = [:]

  /// Applies a bookmark that another client published after this one; `nil`: it was removed.
  var onNewer: (JID, XEP0402Bookmark?) async -> Void = { _, _ in }

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

  /// Records an announcement that is not applied because a change made here waits to be published.
  /// - Parameter found: the bookmark; `nil`: it was removed.
  func passOver(_ found: XEP0402Bookmark?, of room: JID) { announcements[room]?.note(found) }

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
    let own = XEP0402Bookmark(
      room: jid, name: bookmark.name, nick: bookmark.nick, password: bookmark.password,
      autojoins: bookmark.autojoins)
    announcements[jid] = Announcements(of: own)
    let isAccepted = try await queue.submit {
      isInNode = try await bookmarks.publish(own)
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
      if let newer = announcements.removeValue(forKey: jid)?.newer { await onNewer(jid, newer) }
    }
    await registry.save(jid)
    return true
  }
}

/// The announcements of one bookmark that come while it is published. Servers announce the own
/// publication, too: what follows it is newer, although it may be handled before the result.
private struct Announcements {
  private let own: XEP0402Bookmark?
  private var isOwnAnnounced = false
  /// The newest announcement after the own one, `.some(nil)` for a removal; `nil`: there is none.
  private(set) var newer: XEP0402Bookmark??

  init(of bookmark: XEP0402Bookmark) { own = Self.content(XEP0402Bookmark(item: bookmark.item)) }

  mutating func note(_ found: XEP0402Bookmark?) {
    if let found, Self.content(found) == own {
      (isOwnAnnounced, newer) = (true, nil)
    } else if isOwnAnnounced {
      newer = .some(found)
    }
  }

  /// Returns what a client publishes itself: the extensions are kept for other ones.
  private static func content(_ bookmark: XEP0402Bookmark?) -> XEP0402Bookmark? {
    var content = bookmark
    content?.extensions = nil
    return content
  }
}
