/// Namespaces that only the server needs.
enum Names {
  static let carbons = "urn:xmpp:carbons:2"
  static let forward = "urn:xmpp:forward:0"
  static let hints = "urn:xmpp:hints"
  static let vcard = "vcard-temp"
  static let privateStorage = "jabber:iq:private"
  static let chatStates = "http://jabber.org/protocol/chatstates"
  static let offline = "msgoffline"
  static let capabilitiesNode = "https://natter.example/server"
}
