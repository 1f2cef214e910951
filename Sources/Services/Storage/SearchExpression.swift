import NatterCore
import SQLite

/// A search as the full-text index reads it. The index finds the terms that have tokens; all others
/// are parts of the text.
struct SearchExpression {
  /// The terms of which a beginning of the last word is enough.
  enum Prefixes {
    /// Every term that is no phrase: in one conversation.
    case all
    /// The last term, which may still be typed, unless it is a single letter: too many texts have
    /// a word that begins with it.
    case last
  }

  /// A term of the index, and the terms of a message that hold it.
  struct Term {
    let text: String
    let isPrefix: Bool
  }

  /// The terms with tokens.
  let terms: [Term]
  let excluded: [Term]
  /// The terms without any token, such as `%`.
  let parts: [String]
  let excludedParts: [String]

  init(_ query: SearchQuery, prefixes: Prefixes) {
    let last = query.terms.count - 1
    terms = query.terms.enumerated().filter { Self.hasToken($0.element.text) }.map {
      let (index, term) = ($0.offset, $0.element)
      return Term(
        text: term.text,
        isPrefix: !term.isPhrase && Self.endsInWord(term.text)
          && (prefixes == .all || index == last && !Self.isLetter(term.text)))
    }
    excluded = query.excluded.filter { Self.hasToken($0.text) }.map {
      Term(text: $0.text, isPrefix: false)
    }
    parts = query.terms.map(\.text).filter { !Self.hasToken($0) }
    excludedParts = query.excluded.map(\.text).filter { !Self.hasToken($0) }
  }

  /// The expression of MATCH (SQLite, FTS5 §3): each term is a string, so that nothing in it is an
  /// operator; `nil` without any term that the index finds.
  var match: String? {
    guard !terms.isEmpty else { return nil }
    let wanted = terms.map { Self.quoted($0.text) + ($0.isPrefix ? "*" : "") }
      .joined(separator: " ")
    guard !excluded.isEmpty else { return wanted }
    let others = excluded.map { Self.quoted($0.text) }.joined(separator: " OR ")
    return "(\(wanted)) NOT (\(others))"
  }

  /// Indicates whether a term that the index would find everywhere is too short for it: a letter.
  static func isLetter(_ text: String) -> Bool {
    text.unicodeScalars.count == 1 && !text.unicodeScalars.allSatisfy(SearchTokenizer.isToken)
  }

  private static func hasToken(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: SearchTokenizer.isInToken)
  }

  /// Indicates whether the last token is a word, of which a beginning can be typed, not a single
  /// character.
  private static func endsInWord(_ text: String) -> Bool {
    text.unicodeScalars.last(where: SearchTokenizer.isInToken).map { !SearchTokenizer.isToken($0) }
      ?? false
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.escaping("\"", by: "\"") + "\""
  }
}

/// Patterns for LIKE with `\` as its escape.
enum LikePattern {
  /// Returns the pattern of texts that contain `text` literally.
  static func containing(_ text: String) -> String { "%" + text.escaping("\\%_", by: "\\") + "%" }
}

extension String {
  /// Adds `escape` before each of `special`, by scalars as SQLite reads them: a mark joins the
  /// cluster.
  fileprivate func escaping(_ special: String, by escape: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if special.unicodeScalars.contains(scalar) { result.append(escape) }
      result.append(scalar)
    }
    return String(result)
  }
}
