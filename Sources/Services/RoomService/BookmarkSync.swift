import Diagnostics
import NatterCore
import XMPP

/// Follows the bookmarks of the account: rooms are entered and left as they say (XEP-0402 §3).
final class BookmarkSync {
  private let registry: RoomRegistry
  private let joiner: RoomJoiner
  private let presence: RoomPresence
  private let information: RoomInformation
  private let publisher: BookmarkPublisher
  private let notifications: RoomNotificationSettings

  init(
    registry: RoomRegistry, joiner: RoomJoiner, presence: RoomPresence,
    information: RoomInformation, publisher: BookmarkPublisher,
    notifications: RoomNotificationSettings
  ) {
    self.registry = registry
    self.joiner = joiner
    self.presence = presence
    self.information = information
    self.publisher = publisher
    self.notifications = notifications
    publisher.onNewer = { [weak self] room, found in
      if let found {
        await self?.take(found, isCurrent: true)
      } else {
        await self?.dropBookmark(of: room)
      }
    }
  }

  /// Has the bookmarks read, unless this session has read them; then only what was changed since is
  /// published.
  func resume() {
    if registry.session?.hasFetchedBookmarks == true {
      publishPending(isLost: false)
    } else {
      registry.schedule(.fetchBookmarks)
    }
  }

  /// Publishes changes that the server could not receive.
  /// - Parameter isLost: `true` if the server has lost the node: what was in it is published again.
  private func publishPending(isLost: Bool) {
    for (jid, state) in registry.rooms {
      if state.bookmark.rule != nil, state.isKept {
        registry.schedule(.publishNotification(jid))
      } else if state.bookmark.isChanged || (isLost && state.bookmark.isPublished) {
        registry.schedule(.publishBookmark(jid))
      }
    }
  }

  /// Reads the bookmarks and enters the rooms that say so.
  func fetch() async {
    guard let bookmarks = registry.session?.bookmarks, await bookmarks.reading.begin() else {
      return
    }
    do {
      let (current, legacy) = try await bookmarks.fetch()
      for found in current {
        if await !bookmarks.hasChanged(found.room) { await take(found, isCurrent: true) }
      }
      // What the user decided here since counts more than the old list.
      for found in legacy where registry.rooms[found.room] == nil {
        await take(found, isCurrent: false)
      }
      publisher.confirm(current.map(\.room))
      for (jid, state) in registry.rooms where state.isSettledAtServer && !state.isFresh {
        guard await bookmarks.isTakenOut(jid) else { continue }
        // In doubt the user stays in the room.
        if publisher.isUnconfirmed(jid) {
          registry.schedule(.publishBookmark(jid))
        } else {
          registry.log.info("another client has taken a room out of the bookmarks")
          await dropBookmark(of: jid)
        }
      }
      if registry.session?.bookmarks.reading === bookmarks.reading {
        registry.session?.hasFetchedBookmarks = true
      }
      registry.publishChanges()
      publishPending(isLost: await bookmarks.isMissing)
    } catch {
      registry.log.warning("the bookmarks could not be fetched: \(error)")
    }
    await bookmarks.reading.end(isRead: registry.session?.hasFetchedBookmarks ?? false)
  }

  /// Another client changed the bookmarks; some servers notify twice. Changes are stored on return.
  func receive(_ message: MessageStanza) async {
    guard let event = XEP0060Event(message), event.node == XEP0402Bookmark.namespace else { return }
    let (changed, removed) = event.bookmarks
    await registry.session?.bookmarks.announce(changed.map(\.room) + removed)
    for bookmark in changed {
      await registry.session?.bookmarks.keep(bookmark)
      noteWhilePublishing(bookmark, of: bookmark.room)
      await take(bookmark, isCurrent: true)
    }
    for room in removed {
      noteWhilePublishing(nil, of: room)
      await dropBookmark(of: room)
    }
  }

  private func noteWhilePublishing(_ found: XEP0402Bookmark?, of room: JID) {
    if registry.rooms[room]?.bookmark.isChanged == true { publisher.passOver(found, of: room) }
  }

  private func take(_ found: XEP0402Bookmark, isCurrent: Bool) async {
    let jid = found.room
    notifications.note(XEP0492Notification(extensions: found.extensions), of: jid)
    var state =
      registry.rooms[jid]
      ?? RoomState(bookmark: Bookmark(room: jid), nick: found.nick ?? registry.defaultNick)
    let before = state.bookmark
    // A change made here since is newer: it is published instead.
    if before.isChanged {
      registry.rooms[jid]?.bookmark.isPublished = isCurrent
      return
    }
    state.bookmark.name = found.name
    // A password missing on the server was removed by another client, unless it is new here.
    let mayBeNews = !before.isPublished || state.isFresh
    state.bookmark.password = found.password ?? (mayBeNews ? before.password : nil)
    state.bookmark.isPublished = isCurrent
    state.bookmark.autojoins = found.autojoins
    if state.room.phase == .outside { state.bookmark.nick = found.nick ?? before.nick }
    state.update {
      $0.autojoins = found.autojoins
      if let name = found.name { $0.name = name }
      if $0.phase == .outside, let nick = found.nick { $0.nick = nick }
    }
    // A removal of the user counts more than a bookmark: they are not sent back in after a kick.
    let enters = found.autojoins && state.room.phase == .outside && state.room.exit == nil
    // A room that is still to be entered is left, too: an older bookmark may be being stored.
    let leaves =
      !found.autojoins && before.autojoins && (state.room.phase != .outside || before.isWanted)
    if enters { state.bookmark.isWanted = true }
    registry.rooms[jid] = state
    if leaves { return await followOut(of: jid) }
    if state.bookmark != before { guard await registry.saveArrived(jid) else { return } }
    guard enters else { return }
    await information.learnConversation(of: jid, name: found.name)
    // Storing may have taken long, and the user may have decided something meanwhile.
    guard let now = registry.rooms[jid], now.bookmark.isWanted, now.room.phase == .outside else {
      return
    }
    joiner.enter(jid)
  }

  private func dropBookmark(of jid: JID) async {
    guard registry.rooms[jid]?.bookmark.isPublished == true else { return }
    registry.rooms[jid]?.bookmark.isPublished = false
    // A change made here since is newer: it is published instead.
    let isChanged = registry.rooms[jid]?.bookmark.isChanged == true
    if !isChanged, registry.rooms[jid]?.bookmark.autojoins == true {
      await followOut(of: jid)
    } else {
      await registry.saveArrived(jid)
    }
  }

  /// Leaves a room that another client has left for good. The bookmark is not restored.
  private func followOut(of jid: JID) async {
    let occupant = registry.rooms[jid]?.giveUp()
    registry.publishChanges()
    // The user may have come back while it was stored.
    guard await registry.saveArrived(jid), let occupant, registry.rooms[jid]?.room.phase == .outside
    else { return }
    await presence.leave(occupant)
  }
}

extension XEP0060Event {
  /// The bookmarks that other clients stored, and the rooms whose bookmarks they removed.
  fileprivate var bookmarks: (changed: [XEP0402Bookmark], removed: [JID]) {
    (
      items.compactMap { XEP0402Bookmark(item: $0) },
      retracted.compactMap { JID(parsing: $0)?.bare }
    )
  }
}
