import Diagnostics
import NatterCore
import XMPP

/// Which rooms are the account's own, also when they have gone.
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

  /// Keeps that the room is one's own: should its server lose it, it is made anew.
  func keepOwnership(of jid: JID) async {
    do {
      let members = try await store.members(of: jid)
      guard !members.contains(where: { isSelf($0) && $0.affiliation == .owner }) else { return }
      let own = RoomMember(jid: account.bare, affiliation: .owner, nick: nil)
      try await store.replaceMembers(of: jid, with: members.filter { !isSelf($0) } + [own])
    } catch {
      log.error("storing who owns a room failed: \(error)")
    }
  }
}
