import NatterCore
import Text
import XMPP

extension RoomInvitation {
  /// Returns the notice with the inviter, the room and the reason. A mediated invitation comes from
  /// the room, which can name any sender, so the notice presents it as the room's statement. Both
  /// have their addresses, the only reliable identification.
  /// - Parameter inLines: whether it is for line mode, whose own commands it names.
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
