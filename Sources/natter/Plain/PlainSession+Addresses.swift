import NatterCore
import ViewModels
import XMPP

// The address that line mode was started with (INTERFACE.md, `natter URI`).
extension PlainSession {
  /// Chooses whom an `xmpp:` address is about, or enters the room. Nothing is sent: whatever text it brings is somebody else's.
  func open(address text: String) async {
    guard let address = ResourceAddress(text), address.scheme == .xmpp,
      let jid = JID(userInput: address.path), jid.local != nil
    else { return say("plain.bad-address", ["text": text]) }
    if let named = address.account, JID(userInput: named)?.bare != account.jid.bare {
      return report(NatterError(.invalidInput, "error.notAnAccount", ["account": named]))
    }
    // A room is joined under the name that one has there; a conversation may be with somebody in it.
    _ = await take(
      address.query == "join" ? "/join \(jid.bare)" : "/chat \(jid)")
  }
}
