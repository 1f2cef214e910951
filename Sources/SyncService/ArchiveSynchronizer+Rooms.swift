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
    // Another visit begins anew: what was said between the two did not come live, wherever the one before has ended.
    if let visit = view.visit, open[room]?.visit == visit { return }
    // What was missed there is told when all of it is known, and what of it was read elsewhere.
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

  /// What the account is in the room whose archive `archive` is, or was when it was last there; `nil` when nobody knows, or
  /// it is no room's.
  func view(of archive: JID) async -> RoomMembership? {
    if let view = visited[archive] { return view }
    guard archive != account else { return nil }
    return await rooms?.rooms().first { $0.jid == archive }.map { RoomMembership(nick: $0.nick) }
  }

  /// Whether it can be told in `archive` which messages are one's own: while a room is being entered it will say so soon.
  func isReadable(_ archive: JID) async -> Bool {
    if archive == account || visited[archive] != nil { return true }
    return await rooms?.rooms().contains { $0.jid == archive && $0.phase == .outside } ?? false
  }
}
