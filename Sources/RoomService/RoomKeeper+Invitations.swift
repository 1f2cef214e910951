import NatterCore
import XMPP

// Invitations (XEP-0045 §7.8, XEP-0249), each kept until it is answered.
extension RoomKeeper: RoomInviting {
  /// More than anybody answers: somebody floods.
  private static let limit = 100

  package func invitations() -> [RoomInvitation] { pendingInvitations }

  package func accept(_ invitation: RoomInvitation) async throws {
    let password = invitedPasswords[invitation.room]
    try await join(invitation.room, nick: nil, password: password)
    settleInvitation(to: invitation.room)
  }

  package func decline(_ invitation: RoomInvitation) async throws {
    if invitation.isMediated {
      try await send(XEP0045.decline(to: invitation.inviter, of: invitation.room))
    }
    settleInvitation(to: invitation.room)
  }

  func invited(_ invitation: XEP0045Invitation) {
    let room = invitation.room.bare
    // Who is inside needs none; a second one for the same room asks the same.
    guard rooms[room]?.room.phase != .inside, pendingInvitations.count < Self.limit,
      !pendingInvitations.contains(where: { $0.room == room })
    else { return }
    let pending = RoomInvitation(
      room: room, inviter: invitation.inviter, reason: invitation.reason,
      isMediated: invitation.isMediated)
    pendingInvitations.append(pending)
    if let password = invitation.password { invitedPasswords[room] = password }
    hub.publish(.roomInvitation(pending))
  }

  func settleInvitation(to room: JID) {
    guard pendingInvitations.contains(where: { $0.room == room }) else { return }
    pendingInvitations.removeAll { $0.room == room }
    invitedPasswords[room] = nil
    hub.publish(.roomInvitationSettled(room))
  }
}
