import NatterCore
import XMPP

/// The archives of rooms.
extension ArchiveSynchronizer: RoomArchiveSyncing {
  package func roomEntered(_ room: JID, as view: RoomMembership, hasArchive: Bool) async {
    let room = room.bare
    guard let channel else { return }
    visited[room] = view
    unreadable.remove(room)
    refusals[room] = nil
    guard hasArchive else {
      unreadable.insert(room)
      open[room] = nil
      return
    }
    // A new visit starts over: messages between the two did not arrive live, whatever the last end.
    if let visit = view.visit, open[room]?.visit == visit { return }
    // Missed messages notify once all of them are known, and which were read elsewhere.
    hub.publish(.catchUpChanged(isRunning: true))
    defer { hub.publish(.catchUpChanged(isRunning: false)) }
    await follow(room, isFollowed: true, visit: view.visit, over: channel)
    wakeUp()
  }

  package func roomLeft(_ room: JID) async {
    let room = room.bare
    await storeEnd(of: room)
    open[room] = nil
    visited[room] = nil
    refusals[room] = nil
  }

  /// The membership of the account in the room of `archive`, or its last one; `nil` if it is
  /// unknown, or the archive is not a room's.
  func view(of archive: JID) async -> RoomMembership? {
    if let view = visited[archive] { return view }
    guard archive != account else { return nil }
    return await rooms?.rooms().first { $0.jid == archive }.map { RoomMembership(nick: $0.nick) }
  }

  /// Whether own messages can be identified in `archive`: not while its room is being joined.
  func isReadable(_ archive: JID) async -> Bool {
    if archive == account || visited[archive] != nil { return true }
    return await rooms?.rooms().contains { $0.jid == archive && $0.phase == .outside } ?? false
  }
}
