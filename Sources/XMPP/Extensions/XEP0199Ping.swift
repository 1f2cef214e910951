/// Asking whether somebody is there (XEP-0199).
package enum XEP0199Ping {
  /// The question; without an address it goes to the own server (§4.2).
  package static func question(to jid: JID? = nil) -> Element {
    var iq = Element("iq", Namespace.client, ["type": "get"], [Element("ping", Namespace.ping)])
    iq["to"] = jid?.description
    return iq
  }

  /// Whether `iq` asks for a sign of life: an empty result is the answer.
  package static func isQuestion(_ iq: IQ) -> Bool {
    iq.kind == .get && iq.payload?.is("ping", Namespace.ping) == true
  }
}
