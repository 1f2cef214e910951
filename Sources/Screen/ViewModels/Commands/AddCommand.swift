import Text
import XMPP

extension Command {
  /// `/add [ADDRESS]`: adds a contact and requests their presence; without an address, the peer of
  /// the open conversation.
  package static let add = Command("add", aliases: ["sub"], [.person]) { call, context in
    let jid = try call.rest.isEmpty ? context.personHere(for: "add") : context.contact(call.rest)
    let typed = call.rest.hasAddressMark ? context.actions.parseAddress(call.rest) : nil
    // Of an occupant the real JID is added: its resource is not that of a device.
    context.addContact(jid, withoutResource: typed?.bare == jid ? typed?.resource : nil)
  }
}
