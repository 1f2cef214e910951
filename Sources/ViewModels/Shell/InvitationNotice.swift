import NatterCore
import XMPP

extension RoomInvitation {
  /// Who invites where, and why. The room that passes an invitation on names its sender, and can name anybody: it is the room's
  /// word, and stands there as that. Both have their addresses, which alone say who they are.
  /// - Parameter inLines: whether line mode tells it, by its own commands.
  nonisolated package func notice(_ people: People, inLines: Bool = false) -> StatusNotice {
    let reason = reason.map(ErrorText.oneLine) ?? ""
    let isPlain = reason.isEmpty
    let key =
      switch (inLines, isMediated) {
      case (false, false): isPlain ? "status.invitation" : "status.invitationFor"
      case (false, true): isPlain ? "status.roomInvitation" : "status.roomInvitationFor"
      case (true, false): isPlain ? "plain.invitation" : "plain.invitation-for"
      case (true, true): isPlain ? "plain.room-invitation" : "plain.room-invitation-for"
      }
    return StatusNotice(
      .info, key,
      [
        "name": isMediated ? inviter.description : people.name(of: inviter),
        "room": room.description, "reason": reason,
      ])
  }
}
