import NatterCore
import XMPP

/// What this account is in a room.
struct RoomSelf: Hashable {
  let nick: String
  let occupantID: String?
}

/// The archives of rooms.
extension ArchiveSynchronizer: RoomArchiveSyncing {
  package func roomEntered(_ room: JID, nick: String, occupantID: String?, hasArchive: Bool) async {
    let room = room.bare
    guard let channel else { return }
    rooms[room] = RoomSelf(nick: nick, occupantID: occupantID)
    unreadable.remove(room)
    guard hasArchive else {
      unreadable.insert(room)
      open[room] = nil
      return
    }
    // A nick that changed is not another visit.
    guard open[room] == nil else { return }
    await follow(room, isFollowed: true, over: channel)
    wakeUp()
  }

  package func roomLeft(_ room: JID) async {
    let room = room.bare
    await storeEnd(of: room)
    open[room] = nil
    rooms[room] = nil
  }
}
