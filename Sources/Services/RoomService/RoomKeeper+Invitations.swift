import Diagnostics
import NatterCore
import XMPP

// Invitations (XEP-0045 §7.8, XEP-0249), each kept until it is answered.
extension RoomKeeper: RoomInviting {
  package func invitations() async -> [RoomInvitation] {
    await load()
    return pendingInvitations
  }

  package func accept(_ invitation: RoomInvitation) async throws {
    await load()
    try await join(invitation.room, nick: nil, password: invitedPasswords[invitation.room.bare])
  }

  package func decline(_ invitation: RoomInvitation) async throws {
    if invitation.isMediated {
      try await send(XEP0045.decline(to: invitation.inviter, of: invitation.room))
    }
    invitedPasswords[invitation.room.bare] = nil
    await settleInvitation(to: invitation.room)
  }

  /// - Throws: `StorageError` when it could not be kept: it is tried again.
  func invited(_ invitation: XEP0045Invitation) async throws {
    await load()
    let room = invitation.room.bare
    // The archive has the user's own, too. An occupant needs none, and a second is no news.
    let pending = RoomInvitation(
      room: room, inviter: invitation.inviter, reason: invitation.reason,
      isMediated: invitation.isMediated)
    guard invitation.inviter.bare != account.bare, rooms[room]?.room.phase != .inside,
      !pendingInvitations.contains(where: { $0.room == room }),
      InvitationShares.hasRoom(for: pending, among: pendingInvitations)
    else { return }
    try await store.save(pending, password: invitation.password)
    guard !pendingInvitations.contains(where: { $0.room == room }) else { return }
    pendingInvitations.append(pending)
    invitedPasswords[room] = invitation.password
    hub.publish(.roomInvitation(pending))
  }

  /// Its password stays for this run: the bookmark's, which comes first, may be outdated.
  func settleInvitation(to room: JID) async {
    guard pendingInvitations.contains(where: { $0.room == room }) else { return }
    pendingInvitations.removeAll { $0.room == room }
    hub.publish(.roomInvitationSettled(room))
    do { try await store.removeInvitation(to: room) } catch {
      // Then it is asked once more after the next start.
      log.warning("an answered invitation could not be removed: \(error)")
    }
  }
}

extension RoomIncident {
  /// A declined invitation; a contact who was invited by an occupant JID is named by that.
  init(_ decline: XEP0045Decline) {
    let (room, guest) = (decline.room, decline.guest)
    let nick = guest.bare == room ? guest.resource : nil
    self.init(
      room: room, .declined,
      ["name": nick ?? guest.bare.description, "reason": decline.reason ?? ""])
  }
}
