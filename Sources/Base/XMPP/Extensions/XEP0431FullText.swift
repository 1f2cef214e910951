import XML

/// The full-text search in a message archive (XEP-0431): a field of the archive's form, with a
/// meaning that is the server's own.
///
/// A server without it may ignore the field and return every message: it may be sent only where
/// both the feature and the field are announced.
package enum XEP0431FullText {
  /// The feature of an archive that offers it (§2.1).
  package static let feature = "urn:xmpp:fulltext:0"
  /// The name of the field (§2.2).
  package static let field = "{urn:xmpp:fulltext:0}fulltext"

  /// Returns the request for the form of an archive (XEP-0313 §4.1.1).
  package static func question(to archive: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": archive.description],
      [Element("query", Namespace.archive)])
  }

  /// Indicates whether the form of an archive has the field.
  /// - Parameter answer: the response to `question`.
  package static func isInForm(_ answer: Element) -> Bool {
    guard
      let form = answer.first("query", Namespace.archive)?.first("x", Namespace.dataForms)
        .flatMap({ XEP0004DataForm($0) })
    else { return false }
    return form[field] != nil
  }
}
