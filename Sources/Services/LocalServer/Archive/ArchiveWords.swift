import FoundationEssentials
import XML
import XMPP

/// The words of a full-text search (XEP-0431): a message matches if its text has all of them,
/// anywhere, whatever the case of Latin letters.
struct ArchiveWords: Hashable, Sendable {
  /// The messages with the words somewhere in their XML that are read for one page.
  static let mostRead = 1_000
  /// The words that are looked for; further ones are ignored.
  private static let most = 16

  private let words: [String]

  /// Reads the words; `nil` if there are none: the field does not apply (§2.2).
  init?(_ text: String) {
    words = text.split(whereSeparator: \.isWhitespace).prefix(Self.most).map(Self.form)
    guard !words.isEmpty else { return nil }
  }

  /// Patterns of which the XML of a matching message has all, for LIKE with `\` as escape. Words
  /// with characters that XML escapes have none.
  var patterns: [String] {
    words.filter { !$0.contains { "<>&'\"".contains($0) } }.map { word in
      "%"
        + word.replacing("\\", with: "\\\\").replacing("%", with: "\\%")
        .replacing("_", with: "\\_") + "%"
    }
  }

  /// Returns whether the text of a message, given as XML, has all words.
  func areIn(_ stanza: String) -> Bool {
    guard let body = XMLColumn.parse(stanza)?.childText("body") else { return false }
    let text = Self.form(body)
    return words.allSatisfy { text.contains($0) }
  }

  /// As LIKE compares: only ASCII letters have two cases.
  private static func form(_ text: some StringProtocol) -> String {
    String(
      decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
