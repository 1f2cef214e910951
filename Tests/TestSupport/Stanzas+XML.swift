import XML
import XMPP

extension Element {
  /// The element that `xml` is, in a stream of `jabber:client`.
  /// - Throws: `XMLError`, or `MissingElement` where there is none.
  package init(xml: String) throws {
    let events = try XMLStreamParser().feed(
      XMLWriter().streamHeader([:]) + Array(xml.utf8))
    for case .element(let element) in events {
      self = element
      return
    }
    throw MissingElement()
  }
}

/// The error when the text contains no complete element.
package struct MissingElement: Error {}
