import NatterCore
import XMPP

// What of a room is told: a setting that goes with its bookmark to all clients of the account (XEP-0492).
extension RoomKeeper: RoomNotifying {
  package func keepNotification(_ setting: XEP0492Notification?, of room: JID) async {
    notificationWishes.updateValue(setting, forKey: room.bare)
    if hasFetchedBookmarks { await publishNotification(of: room.bare) }
  }

  /// Takes note of what a bookmark says. What was chosen here since is newer: it is published in its place.
  func noteNotification(_ setting: XEP0492Notification?, of room: JID) async {
    if notificationWishes[room] != nil {
      aside { [weak self] in await self?.publishNotification(of: room) }
      return
    }
    guard setting != notifications[room] else { return }
    notifications[room] = setting
    hub.publish(.roomNotificationChanged(room, setting))
  }

  private func publishNotification(of room: JID) async {
    guard let wish = notificationWishes[room], let bookmarks,
      let bookmark = rooms[room]?.bookmark, bookmark.isPublished || bookmark.autojoins
    else { return }
    // What comes back from the server is no news, and what another client chooses after this is newer.
    notificationWishes.removeValue(forKey: room)
    notifications[room] = wish
    await bookmarks.setNotification(wish, of: room)
    if await !publishNow(room), notificationWishes[room] == nil {
      notificationWishes.updateValue(wish, forKey: room)
    }
  }
}
