import XMPP

/// Work that has to wait for a reply: `AccountRooms.run` does it beside the reading.
enum RoomTask: Hashable, Sendable {
  /// Sends the presence that joins the room, in the attempt of that number.
  case join(JID, attempt: Int)
  /// Joins again after a pause, unless the attempt of that number is over by then.
  case rejoin(JID, attempt: Int, after: Duration)
  /// Configures a room that was created by joining it.
  case configure(newRoom: JID, attempt: Int)
  /// Leaves the room as this occupant.
  case leave(occupant: JID)
  /// Sends the user's presence to the rooms that have another one.
  case sendPresence
  /// Asks the room whether the user is in it.
  case ping(JID)
  /// Reads the room's information again.
  case refresh(JID)
  case fetchBookmarks
  case publishBookmark(JID)
  case publishNotification(JID)
  case storeOwnership(JID, Bool)
  /// Stores the state of the room.
  case store(JID)
}
