/// The namespaces Natter speaks, under their specification's name.
package enum Namespace {
  package static let client = "jabber:client"
  package static let streams = "http://etherx.jabber.org/streams"
  package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
  package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
  package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
  package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
  package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
  package static let session = "urn:ietf:params:xml:ns:xmpp-session"
  package static let roster = "jabber:iq:roster"
  package static let register = "jabber:iq:register"
  package static let version = "jabber:iq:version"
  package static let dataForms = "jabber:x:data"
  package static let outOfBand = "jabber:x:oob"
  package static let discoInfo = "http://jabber.org/protocol/disco#info"
  package static let discoItems = "http://jabber.org/protocol/disco#items"
  package static let capabilities = "http://jabber.org/protocol/caps"
  package static let clientState = "urn:xmpp:csi:0"
  package static let ping = "urn:xmpp:ping"
  package static let time = "urn:xmpp:time"
  package static let delay = "urn:xmpp:delay"
  package static let stanzaIDs = "urn:xmpp:sid:0"
  package static let receipts = "urn:xmpp:receipts"
  package static let pubSub = "http://jabber.org/protocol/pubsub"
  package static let occupantID = "urn:xmpp:occupant-id:0"
  package static let archive = "urn:xmpp:mam:2"
  package static let resultSets = "http://jabber.org/protocol/rsm"
  package static let streamManagement = "urn:xmpp:sm:3"
  package static let rosterVersioning = "urn:xmpp:features:rosterver"
  package static let registerFeature = "http://jabber.org/features/iq-register"
}

/// The two namespaces that XML itself has (Namespaces in XML §3).
enum XMLNamespace {
  static let xml = "http://www.w3.org/XML/1998/namespace"
  static let xmlns = "http://www.w3.org/2000/xmlns/"
}
