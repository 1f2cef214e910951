import XML
import XMPP

extension Stanza {
  /// A chat message as it would arrive.
  package static func message(
    from: String?, id: String? = nil, type: String = "chat", body: String? = nil,
    _ payloads: Element...
  ) -> Stanza {
    var element = Element("message", Namespace.client, ["type": type])
    element["from"] = from
    element["id"] = id
    if let body { element.append(Element("body", Namespace.client, text: body)) }
    for payload in payloads { element.append(payload) }
    return .message(MessageStanza(element))
  }

  /// A presence as it would arrive.
  package static func presence(
    from: String, type: String? = nil, show: String? = nil, priority: Int? = nil
  )
    -> Stanza
  {
    var element = Element("presence", Namespace.client, ["from": from])
    element["type"] = type
    if let show { element.append(Element("show", Namespace.client, text: show)) }
    if let priority { element.append(Element("priority", Namespace.client, text: "\(priority)")) }
    return .presence(PresenceStanza(element))
  }

  /// An IQ as it would arrive.
  package static func iq(from: String?, type: String, id: String = "q1", _ payload: Element)
    -> Stanza
  {
    var element = Element("iq", Namespace.client, ["type": type, "id": id], [payload])
    element["from"] = from
    return .iq(IQ(element))
  }
}
