import NatterCore
import XMPP

/// The archives that conversations are in, and the account's membership in their rooms.
struct ArchiveOwners {
  let ports: ArchivePorts
  let state: ArchiveState

  /// Returns the archive of a conversation, and its address there; `nil`: the archive is all about
  /// it.
  func point(of conversation: JID) async -> (archive: JID, peer: JID?) {
    let jid = conversation.bare
    if state.session.visited[jid] == nil {
      guard await ports.isRoom(jid) else { return (ports.account, jid) }
    }
    // Private messages of an occupant are in the account's archive (XEP-0045 §7.5).
    return conversation.isBare ? (jid, nil) : (ports.account, conversation)
  }

  /// Returns the membership of the account in the room of `archive`, or its last one; `nil` if it
  /// is unknown, or the archive is not a room's.
  func view(of archive: JID) async -> RoomMembership? {
    if let view = state.session.visited[archive] { return view }
    guard archive != ports.account else { return nil }
    return await ports.rooms?.rooms().first { $0.jid == archive }.map {
      RoomMembership(nick: $0.nick)
    }
  }

  /// Returns whether own messages can be identified in `archive`: not while its room is being
  /// joined.
  func isReadable(_ archive: JID) async -> Bool {
    if archive == ports.account || state.session.visited[archive] != nil { return true }
    return await ports.rooms?.rooms().contains { $0.jid == archive && $0.phase == .outside }
      ?? false
  }

  /// Returns the rooms among the correspondents in `page` of the account's archive.
  func rooms(in page: XEP0313Page, of archive: JID) async -> Set<JID> {
    guard archive == ports.account else { return [] }
    let others = page.results.compactMap {
      $0.message.from?.bare == ports.account ? $0.message.to : $0.message.from
    }
    return await ports.rooms?.rooms(of: others) ?? []
  }
}
