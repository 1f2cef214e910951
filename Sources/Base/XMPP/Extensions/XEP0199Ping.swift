import XML

/// A ping, to find out whether an entity responds (XEP-0199).
package enum XEP0199Ping {
  /// Returns the request; without an address it goes to the own server (§4.2).
  package static func question(to jid: JID? = nil) -> Element {
    var iq = Element("iq", Namespace.client, ["type": "get"], [Element("ping", Namespace.ping)])
    iq["to"] = jid?.description
    return iq
  }

  /// Returns whether `iq` is a ping, which an empty result answers.
  package static func isQuestion(_ iq: IQ) -> Bool {
    iq.kind == .get && iq.payload?.is("ping", Namespace.ping) == true
  }
}
