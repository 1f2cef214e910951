import NatterCore
import XMPP

// Notification rules of rooms, kept in the bookmark for all clients of the account (XEP-0492).
extension RoomKeeper: RoomNotifying {
  package func keepNotification(_ setting: XEP0492Notification?, of room: JID) async {
    await load()
    guard rooms[room.bare] != nil else { return }
    rooms[room.bare]?.bookmark.rule = PendingNotificationRule(setting)
    // In the database first: the program may end before there is a connection.
    await save(room.bare)
    if hasFetchedBookmarks { await publishNotification(of: room.bare) }
  }

  /// Records a bookmark's rule. A rule chosen here since is newer: it is published instead.
  func noteNotification(_ setting: XEP0492Notification?, of room: JID) async {
    if rooms[room]?.bookmark.rule != nil, !publishing.contains(room) {
      // Until all are read, the code that reads them publishes what is missing.
      if hasFetchedBookmarks { aside { [weak self] in await self?.publishNotification(of: room) } }
      return
    }
    guard setting != notifications[room] else { return }
    notifications[room] = setting
    hub.publish(.roomNotificationChanged(room, setting))
  }

  /// Has the server keep what was chosen here, where it has a bookmark of the room or should have.
  func publishNotification(of room: JID) async {
    guard let rule = rooms[room]?.bookmark.rule, let bookmarks, !publishing.contains(room),
      let bookmark = rooms[room]?.bookmark, bookmark.isPublished || bookmark.autojoins
    else { return }
    // The server's echo is not new, and a rule that another client sets after this is newer.
    publishing.insert(room)
    notifications[room] = rule.setting
    await bookmarks.setNotification(rule.setting, of: room)
    let isPublished = await publishNow(room)
    publishing.remove(room)
    guard isPublished else { return }
    // Chosen anew meanwhile: the server has not heard of that.
    guard rooms[room]?.bookmark.rule == rule else { return await publishNotification(of: room) }
    rooms[room]?.bookmark.rule = nil
    await save(room)
  }
}
