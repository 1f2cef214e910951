import FoundationEssentials
import XML
import XMPP

/// The terms of a full-text search (XEP-0431): a message matches if its text has all of them,
/// anywhere, whatever the case of Latin letters.
struct ArchiveTerms: Hashable, Sendable {
  /// The messages with the terms somewhere in their XML that are read for one page.
  static let mostRead = 1_000
  /// The terms that are looked for; further ones are ignored.
  private static let most = 16
  /// The scalars of a term that are looked for; the rest is ignored.
  private static let longest = 64

  private let terms: [String]

  /// Reads the terms; `nil` if there are none: the field does not apply (§2.2).
  init?(_ text: String) {
    terms = text.unicodeScalars.split(
      maxSplits: Self.most, whereSeparator: \.properties.isWhitespace
    )
    .prefix(Self.most).map { Self.form(String($0.prefix(Self.longest))) }
    guard !terms.isEmpty else { return nil }
  }

  /// The terms that are in the XML of a matching message as they are in its text: without
  /// characters that XML escapes.
  var inXML: [String] {
    terms.filter { term in !term.utf8.contains { "<>&'\"".utf8.contains($0) } }
  }

  /// Returns whether the text of a message, given as XML, has all terms.
  func areIn(_ stanza: String) -> Bool {
    guard let body = XMLColumn.parse(stanza)?.childText("body") else { return false }
    let text = Self.form(body)
    return terms.allSatisfy { text.utf8.contains($0.utf8) }
  }

  /// Only ASCII letters have two cases.
  private static func form(_ text: some StringProtocol) -> String {
    String(
      decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
