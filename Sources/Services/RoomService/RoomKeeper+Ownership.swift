import Diagnostics
import NatterCore
import XMPP

/// The rooms that the account owns, also former ones. A room that another owner or client destroyed
/// while this one was offline looks like one that its server has lost: it is created anew.
extension RoomKeeper {
  /// Whether the room was one's own when it was last seen.
  func isOwner(of jid: JID) async -> Bool {
    if rooms[jid]?.room.affiliation == .owner { return true }
    do {
      return try await store.members(of: jid).contains { isSelf($0) && $0.affiliation == .owner }
    } catch {
      log.error("reading who owns a room failed: \(error)")
      return false
    }
  }

  private func isSelf(_ member: RoomMember) -> Bool { member.jid.bare == account.bare }

  /// Keeps whether the room is one's own: should its server lose it, such a room is made anew.
  func keepOwnership(of jid: JID, _ isOwner: Bool) async {
    do {
      try await store.setOwnership(of: jid, by: account, isOwner)
    } catch {
      log.error("storing who owns a room failed: \(error)")
    }
  }
}
