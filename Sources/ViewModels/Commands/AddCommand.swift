import XMPP

extension Command {
  /// `/add [ADDRESS]`: adds somebody to the contacts and asks to see his presence; alone, whoever the conversation is with.
  package static let add = Command("add", [.person]) { call, context in
    let jid = try call.rest.isEmpty ? context.personHere(for: "add") : context.contact(call.rest)
    let typed = call.rest.hasAddressSign ? context.actions.parseAddress(call.rest) : nil
    // Of an occupant the real address is added: there it is no device's.
    context.addContact(jid, withoutResource: typed?.bare == jid ? typed?.resource : nil)
  }
}
