/// The texts of a message (RFC 6121 §5.2.3, §5.2.4), which may be there in several languages.
extension MessageStanza {
  /// The text: of several languages the one that the user reads.
  package var body: String? { text(of: "body") }
  package var subject: String? { text(of: "subject") }

  /// The same message, read by a user of these languages, the preferred one first.
  package func inLanguages(_ languages: [String]) -> MessageStanza {
    var message = self
    message.languages = languages
    return message
  }

  /// The texts that are looked at: no message is written in more languages.
  private static let textLimit = 32

  /// Of several texts, the first in a language of the user; without one, the text that names no language, then the first. A text
  /// of nothing but blanks counts only where there is no other.
  private func text(of name: String) -> String? {
    // There may be thousands, and each is compared with each language.
    let all = element.all(name, Namespace.client).prefix(Self.textLimit)
    guard all.count > 1 else { return all.first?.text }
    let texts = all.filter { !$0.text.saysNothing }
    guard texts.count > 1 else { return (texts.first ?? all.first)?.text }
    // What names no language has that of the message (RFC 6120 §8.1.5).
    let language = element["xml:lang"]
    for range in languages.flatMap(LanguageRange.lookups) {
      let found = texts.first { ($0["xml:lang"] ?? language).map(range.matches) ?? false }
      if let found { return found.text }
    }
    return (texts.first { $0["xml:lang"] == nil } ?? texts.first)?.text
  }
}

/// A language that the user reads, compared with the tags of texts (RFC 4647).
private struct LanguageRange {
  private let subtags: [Substring]

  /// The ranges to look for, one after the other: `zh-Hans-CN`, `zh-Hans`, `zh` (§3.4).
  static func lookups(_ tag: String) -> [LanguageRange] {
    let subtags = Self.subtags(of: tag)
    return (0..<subtags.count).reversed().map { LanguageRange(subtags: Array(subtags[...$0])) }
  }

  private init(subtags: [Substring]) { self.subtags = subtags }

  /// Longer tags name no language: the longest that are registered have 35 characters (RFC 5646 §4.4.1).
  private static let longestTag = 128

  /// Whether `tag` is the language, or a variety of it (§3.3.1).
  func matches(_ tag: String) -> Bool {
    // Measured first: it is compared for each text and each language.
    tag.utf8.count <= Self.longestTag && Self.subtags(of: tag).starts(with: subtags)
  }

  private static func subtags(of tag: String) -> [Substring] {
    tag.lowercased().split { $0 == "-" || $0 == "_" }
  }
}
