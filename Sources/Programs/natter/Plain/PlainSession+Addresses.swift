import NatterCore
import ViewModels
import XMPP

// The address that line mode was started with.
extension PlainSession {
  /// Selects the contact or room of an `xmpp:` address. Nothing is sent, and no room is joined: the
  /// address and its text may have been written by another author.
  func open(address text: String) async {
    guard let address = ResourceAddress(text), address.scheme == .xmpp,
      let jid = JID(userInput: address.path), jid.local != nil
    else { return say("plain.bad-address", ["text": text]) }
    if let named = address.account, JID(userInput: named)?.bare != account.jid.bare {
      return report(NatterError(.invalidInput, "error.notAnAccount", ["account": named]))
    }
    if address.query == "join", rooms[jid.bare] == nil {
      return say("plain.address-join", ["room": jid.bare.description])
    }
    do {
      // Opening it would ask the server of the address if that is a room, which shows the server
      // that the user is online: only the user may decide that.
      if try await addresses.mayBeRoom(jid),
        try await !ports.conversations.hiddenConversations().contains(where: { $0.jid == jid })
      {
        return say("plain.address-unknown", ["address": jid.shown, "jid": jid.description])
      }
    } catch { return report(error) }
    // A conversation may be with an occupant.
    _ = await take("/chat \(address.query == "join" ? jid.bare : jid)")
  }
}
