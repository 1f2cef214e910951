import XMPP

/// Elements kept as text: written by `XMLWriter`, in `jabber:client`.
enum XMLColumn {
  private static let header =
    "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"

  /// The element that `text` is; `nil` where the text is damaged.
  static func parse(_ text: String) -> Element? {
    // What was accepted once may have grown by stamps.
    let parser = XMLStreamParser(stanzaLimit: 1 << 26)
    // A damaged text is no element: nothing else can be said about it.
    let events = (try? parser.feed(Array((header + text).utf8))) ?? []
    for case .element(let element) in events { return element }
    return nil
  }
}
