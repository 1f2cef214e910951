import ViewModels
import XMPP

// The address that line mode was started with (INTERFACE.md, `natter URI`).
extension PlainSession {
  /// Chooses whom an `xmpp:` address is about, or enters the room. Nothing is sent: whatever text it brings is somebody else's.
  func open(address text: String) async {
    guard let address = ResourceAddress(text), address.scheme == .xmpp,
      let jid = JID(userInput: address.path)?.bare, jid.local != nil
    else { return say("plain.bad-address", ["text": text]) }
    _ = await take((address.query == "join" ? "/join " : "/chat ") + jid.description)
  }
}
