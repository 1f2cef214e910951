import Diagnostics
import NatterCore
import XMPP

// Bookmarks and the rooms they are of (XEP-0402 §3).
extension RoomKeeper {
  /// Reads the bookmarks and enters the rooms that say so.
  func fetchBookmarks() async {
    guard let bookmarks, await bookmarks.reading.begin() else { return }
    do {
      let (current, legacy) = try await bookmarks.fetch()
      for found in current {
        if await !bookmarks.isAnnounced(found.room) { await take(found, isCurrent: true) }
      }
      // What a person decided here since counts more than the old list.
      for found in legacy where rooms[found.room] == nil { await take(found, isCurrent: false) }
      published.subtract(current.map(\.room))
      for (jid, state) in rooms where state.isSettledAtServer && !state.isFresh {
        guard await bookmarks.isTakenOut(jid) else { continue }
        // In doubt the user stays in the room.
        if published.contains(jid) {
          publishBookmark(of: jid)
        } else {
          log.info("another client has taken a room out of the bookmarks")
          await dropBookmark(of: jid)
        }
      }
      if self.bookmarks?.reading === bookmarks.reading { hasFetchedBookmarks = true }
      publishChanges()
      // Changes that the server could not receive, and what it lost, including the node.
      let isLost = await bookmarks.isMissing
      for (jid, state) in rooms {
        if state.bookmark.rule != nil {
          aside { [weak self] in await self?.publishNotification(of: jid) }
        } else if state.bookmark.isChanged || (isLost && state.bookmark.isPublished) {
          publishBookmark(of: jid)
        }
      }
    } catch {
      log.warning("the bookmarks could not be fetched: \(error)")
    }
    await bookmarks.reading.end(isRead: hasFetchedBookmarks)
  }

  /// Another client changed the bookmarks; some servers notify twice. Changes are stored on return.
  func bookmarksPushed(_ message: MessageStanza) async {
    guard let event = XEP0060Event(message), event.node == XEP0402Bookmark.namespace else { return }
    let (changed, removed) = event.bookmarks
    await bookmarks?.announce(changed.map(\.room) + removed)
    for bookmark in changed { await take(bookmark, isCurrent: true) }
    for room in removed { await dropBookmark(of: room) }
  }

  private func take(_ found: XEP0402Bookmark, isCurrent: Bool) async {
    await bookmarks?.keep(found)
    let jid = found.room
    await noteNotification(XEP0492Notification(extensions: found.extensions), of: jid)
    var state =
      rooms[jid]
      ?? RoomState(bookmark: Bookmark(room: jid), nick: found.nick ?? defaultNick)
    let before = state.bookmark
    // A change made here since is newer: it is published instead.
    if before.isChanged {
      rooms[jid]?.bookmark.isPublished = isCurrent
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
    let leaves = !found.autojoins && before.autojoins && state.room.phase != .outside
    if enters { state.bookmark.isWanted = true }
    rooms[jid] = state
    if leaves { return await followOut(of: jid) }
    if state.bookmark != before { guard await saveArrived(jid) else { return } }
    guard enters else { return }
    await learnConversation(of: jid, name: found.name)
    // Storing may have taken long, and the user may have decided something meanwhile.
    guard let now = rooms[jid], now.bookmark.isWanted, now.room.phase == .outside else { return }
    enter(jid)
  }

  private func dropBookmark(of jid: JID) async {
    guard rooms[jid]?.bookmark.isPublished == true else { return }
    rooms[jid]?.bookmark.isPublished = false
    if rooms[jid]?.bookmark.autojoins == true {
      await followOut(of: jid)
    } else {
      await saveArrived(jid)
    }
  }

  /// Leaves a room that another client has left for good. The bookmark is not restored.
  private func followOut(of jid: JID) async {
    let occupant = rooms[jid]?.giveUp()
    publishChanges()
    // The user may have come back while it was stored.
    guard await saveArrived(jid), let occupant, rooms[jid]?.room.phase == .outside else { return }
    await sayFarewell(from: occupant)
  }

  /// Has the server keep what is known of the room.
  func publishBookmark(of jid: JID) {
    aside { [weak self] in await self?.publishNow(jid) }
  }

  /// - Returns: whether the server has it now.
  @discardableResult func publishNow(_ jid: JID) async -> Bool {
    guard let bookmarks, let bookmark = rooms[jid]?.bookmark else { return false }
    do {
      let isInNode = try await bookmarks.publish(
        XEP0402Bookmark(
          room: jid, name: bookmark.name, nick: bookmark.nick, password: bookmark.password,
          autojoins: bookmark.autojoins))
      rooms[jid]?.bookmark.isPublished = isInNode
      if isInNode { published.insert(jid) }
      // Unless it was changed again meanwhile.
      if let now = rooms[jid]?.bookmark, now.autojoins == bookmark.autojoins,
        now.password == bookmark.password
      {
        rooms[jid]?.bookmark.isChanged = false
      }
      await save(jid)
      return true
    } catch {
      // The database has it; the next session tries again.
      log.warning("a bookmark could not be stored at the server: \(error)")
      return false
    }
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
