import XML

/// A room's request to its moderators to grant a visitor voice (XEP-0045 §8.6).
package struct XEP0045VoiceRequest: Hashable, Sendable {
  package let room: JID
  /// The visitor's nick, and their JID if the room shows it.
  package let nick: String
  package let jid: JID?

  package init(room: JID, nick: String, jid: JID?) {
    (self.room, self.nick, self.jid) = (room, nick, jid)
  }

  /// Reads a request; `nil` when `message` is something else. Only a room itself, by its bare JID,
  /// sends such requests; the caller checks that the room is joined.
  package init?(_ message: MessageStanza) {
    guard message.kind != .error, message.kind != .groupchat, let room = message.from, room.isBare,
      let form = message.element.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) }),
      form.kind == .form, form.formType == Self.formType,
      let nick = form["muc#roomnick"]?.values.first,
      let occupant = room.with(resource: nick)?.resource
    else { return nil }
    let address = AddressAttribute(form["muc#jid"]?.values.first)
    // The answer names the visitor by both; it must not be sent with only half of that.
    guard address != .unreadable else { return nil }
    self.init(room: room, nick: occupant, jid: address.jid)
  }

  /// Returns a visitor's request to speak (§7.13).
  package static func request(to room: JID) -> Element { message(to: room, []) }

  /// Returns a moderator's answer (§8.6). It names the visitor by JID and nick, because a room may
  /// look up either.
  package func answer(isAllowed: Bool) -> Element {
    Self.message(
      to: room,
      (jid.map { [.init("muc#jid", values: [$0.description])] } ?? []) + [
        .init("muc#roomnick", values: [nick]),
        .init("muc#request_allow", values: [isAllowed ? "true" : "false"]),
      ])
  }

  private static let formType = "http://jabber.org/protocol/muc#request"

  private static func message(to room: JID, _ fields: [XEP0004DataForm.Field])
    -> Element
  {
    let form = XEP0004DataForm(
      .submit,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [formType]),
        .init("muc#role", values: ["participant"]),
      ] + fields)
    return Element(
      "message", Namespace.client, ["to": room.bare.description], [form.element])
  }
}
