import XMPP

/// An invitation to a room, forwarded by the room (XEP-0045 §7.8.2) or sent directly (XEP-0249).
/// RoomService sends invitations and answers them.
enum InvitationPayload: MessagePayload {
  static let features: Set<String> = [XEP0249.namespace]

  static func decode(_ stanza: MessageStanza) -> XEP0045Invitation? {
    XEP0045Invitation(stanza)
  }

  /// Returns whether `stanza` is an invitation and nothing more. The text beside it is the
  /// inviter's reason; an encrypted text, a file, a call or an unknown payload is a message.
  static func isAlone(in stanza: MessageStanza) -> Bool {
    guard let invitation = decode(stanza) else { return false }
    // A mediated one is from a room, which forwards the invitation alone (XEP-0045 §7.8.2).
    return invitation.isMediated
      || ContentPayload.isAbsent(in: stanza) && FilePayload.decode(stanza) == nil
  }
}
