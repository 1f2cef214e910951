import XML

/// The request of a moderator to a room to retract a message (XEP-0425 §4).
package enum XEP0425Moderation {
  private static let namespace = "urn:xmpp:message-moderate:1"
  /// Version 0.2 of the specification, which ejabberd and older modules of Prosody speak.
  private static let former = "urn:xmpp:message-moderate:0"

  /// Returns the request that a room of these features understands; `nil`: its moderators cannot
  /// retract messages.
  /// - Parameters:
  ///   - id: the id that the room gave the message (XEP-0359).
  ///   - features: those of the room (XEP-0030).
  package static func request(
    retracting id: String, in room: JID, reason: String?, features: Set<String>
  ) -> Element? {
    let payload: Element
    if features.contains(namespace) {
      payload = Element(
        "moderate", namespace, ["id": id],
        [Element("retract", XEP0424Retraction.namespace)] + elements(of: reason, namespace))
    } else if features.contains(former) {
      payload = Element(
        "apply-to", "urn:xmpp:fasten:0", ["id": id],
        [
          Element(
            "moderate", former, [:],
            [Element("retract", "urn:xmpp:message-retract:0")] + elements(of: reason, former))
        ])
    } else {
      return nil
    }
    return Element("iq", Namespace.client, ["type": "set", "to": room.description], [payload])
  }

  private static func elements(of reason: String?, _ namespace: String) -> [Element] {
    reason.map { [Element("reason", namespace, text: $0)] } ?? []
  }
}
