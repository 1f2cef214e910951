import XML

/// The texts of a message (RFC 6121 §5.2.3, §5.2.4), which may exist in several languages.
extension MessageStanza {
  /// The text; of several languages, the one that the user prefers.
  package var body: String? { text(of: "body") }
  /// Indicates whether it has a text, even an empty one. The text itself is made anew each time,
  /// and may be as long as a stanza.
  package var hasBody: Bool { element.first("body", Namespace.client) != nil }
  /// The beginning of the text, for a preview: at least 64 bytes where it has as many.
  package var bodyBeginning: String? {
    let all = element.all("body", Namespace.client)
    return all.count == 1 ? all[0].textBeginning(bytes: 64) : body
  }
  package var subject: String? { text(of: "subject") }

  /// Returns the same message for a user who reads `languages`, the preferred one first.
  package func inLanguages(_ languages: [String]) -> MessageStanza {
    var message = self
    message.languages = languages
    return message
  }

  /// The most texts that are examined: no real message is written in more languages.
  private static let textLimit = 32

  /// Returns the first of several texts that is in a language of the user; if there is none, the
  /// text that names no language, then the first. A blank text counts only when all are blank.
  private func text(of name: String) -> String? {
    // A message may have thousands, and each is compared with each language.
    let all = element.all(name, Namespace.client).prefix(Self.textLimit)
    guard all.count > 1 else { return all.first?.text }
    let texts = all.filter { !$0.text.saysNothing }
    guard texts.count > 1 else { return (texts.first ?? all.first)?.text }
    // A text without `xml:lang` has the language of the message (RFC 6120 §8.1.5).
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

  /// Returns the ranges to look for, in order: `zh-Hans-CN`, `zh-Hans`, `zh` (§3.4).
  static func lookups(_ tag: String) -> [LanguageRange] {
    let subtags = Self.subtags(of: tag)
    return (0..<subtags.count).reversed().map { LanguageRange(subtags: Array(subtags[...$0])) }
  }

  private init(subtags: [Substring]) { self.subtags = subtags }

  /// The longest tag that is compared, in bytes. The longest registered tags have 35 characters
  /// (RFC 5646 §4.4.1); a longer tag names no language.
  private static let longestTag = 128

  /// Returns whether `tag` is the language or a variety of it (§3.3.1).
  func matches(_ tag: String) -> Bool {
    // Check the length first: this comparison runs for each text and each language.
    tag.utf8.count <= Self.longestTag && Self.subtags(of: tag).starts(with: subtags)
  }

  private static func subtags(of tag: String) -> [Substring] {
    tag.lowercased().split { $0 == "-" || $0 == "_" }
  }
}
