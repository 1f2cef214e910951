/// A room's question to its moderators whether somebody may speak who only listens so far (XEP-0045 §8.6).
package struct XEP0045VoiceRequest: Hashable, Sendable {
  package let room: JID
  /// Who asks: what he is called in the room, and his address where it is told.
  package let nick: String
  package let jid: JID?

  package init(room: JID, nick: String, jid: JID?) {
    (self.room, self.nick, self.jid) = (room, nick, jid)
  }

  /// `nil` when `message` is none. Of a room that somebody is in, only the room itself asks.
  package init?(_ message: MessageStanza) {
    guard message.kind != .error, message.kind != .groupchat, let room = message.from, room.isBare,
      let form = message.element.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) }),
      form.kind == .form, form.formType == Self.formType,
      let nick = form["muc#roomnick"]?.values.first, let seat = room.with(resource: nick)?.resource
    else { return nil }
    let address = AddressAttribute(form["muc#jid"]?.values.first)
    // The answer says whom it lets speak: not half of that.
    guard address != .unreadable else { return nil }
    self.init(room: room, nick: seat, jid: address.jid)
  }

  /// A visitor's wish to speak (§7.13).
  package static func wish(to room: JID) -> Element { message(to: room, []) }

  /// A moderator's answer (§8.6): a room may find whom it is about by his address or by his nick.
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
