import NatterCore
import XML
import XMPP

/// A location (XEP-0080, RFC 5870): its `geo:` URI is the body, and an element beside it has the
/// description.
enum LocationPayload: SentMessagePayload {
  static let features: Set<String> = []

  /// Returns the location; where both the element and the body have one, that of the element.
  static func decode(_ stanza: MessageStanza) -> SharedLocation? {
    BodyPayload.decode(stanza).flatMap { SharedLocation(body: $0) }
  }

  /// Returns the elements beside the body.
  static func encode(_ location: SharedLocation) -> [Element] {
    [XEP0080Location(location.point, text: location.text).element]
  }

  /// Returns the text to store of a message: nothing of a body that is no location gets lost.
  /// - Parameter body: the body, without a quotation; `nil`: there is none.
  static func text(of stanza: MessageStanza, body: String?) -> String? {
    guard let found = stanza.location, FilePayload.decode(stanza) == nil else { return body }
    guard let body = body?.withoutBlanksAround else {
      return SharedLocation(found.point, text: found.text).body
    }
    guard let stated = SharedLocation(body: body) else {
      let location = SharedLocation(found.point, text: found.text.isEmpty ? body : found.text)
      if location.text == body { return location.body }
      return body + "\n" + (found.text.isEmpty ? location.address : location.body)
    }
    let text = SharedLocation.line(found.text.isEmpty ? stated.text : found.text)
    // The sender's own form may have more in it, such as the altitude.
    let isSame = stated.point == found.point || GeoURI(stated.point.text) == found.point
    let address = isSame ? stated.address : found.point.text
    return text.isEmpty ? address : address + "\n" + text
  }
}
