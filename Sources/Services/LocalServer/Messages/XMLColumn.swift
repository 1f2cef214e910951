import XML
import XMPP

/// The elements that are stored as text: written by `XMLWriter`, in the namespace `jabber:client`.
enum XMLColumn {
  private static let header =
    "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"

  /// Returns the element in `text`, or `nil` if the text is damaged.
  static func parse(_ text: String) -> Element? {
    // A stored stanza may exceed the stanza limit, because the server adds stamps to it.
    let parser = XMLStreamParser(stanzaLimit: 1 << 26)
    // A damaged text contains no element; the parser's error has no other use here.
    let events = (try? parser.feed(Array((header + text).utf8))) ?? []
    for case .element(let element) in events { return element }
    return nil
  }
}
