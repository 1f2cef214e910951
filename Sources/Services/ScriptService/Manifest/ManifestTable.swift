import NatterCore
import TOML

/// A section of a manifest, whose values are read with their rules.
struct ManifestTable {
  let table: TOMLTable

  init(_ table: TOMLTable) { self.table = table }

  /// The section's line; `nil` above all sections.
  var line: Int? { table.line > 0 ? table.line : nil }

  func line(of key: String) -> Int? { table[key]?.line ?? line }

  /// Checks that there are no other keys than these.
  /// - Parameter localized: the keys that may be there for each language: `title.fr`.
  func check(_ known: [String], localized: [String] = []) throws(ManifestProblem) {
    for entry in table.entries where !(known + localized).contains(entry.key) {
      guard let (key, tag) = Self.parts(of: entry.key), localized.contains(key) else {
        throw ManifestProblem(
          entry.line, .unknownKey,
          ["key": entry.key, "names": (localized + known).joined(separator: ", ")])
      }
      guard LanguageTag.isValid(tag) else {
        throw ManifestProblem(entry.line, .language, ["key": entry.key, "tag": tag])
      }
      _ = try text(entry.key, limit: ManifestLimits.sentence)
    }
  }

  /// Returns a text; `nil`: there is none.
  /// - Parameter limit: in bytes.
  func text(_ key: String, limit: Int, mayBeEmpty: Bool = false) throws(ManifestProblem)
    -> String?
  {
    guard let value = table[key] else { return nil }
    guard let text = value.string else {
      throw ManifestProblem(value.line, .needsText, ["key": key])
    }
    try Self.check(text, of: key, limit: limit, line: value.line)
    guard mayBeEmpty || !text.allSatisfy({ $0 == " " }) else {
      throw ManifestProblem(value.line, .empty, ["key": key])
    }
    return text
  }

  /// Returns a text that has to be there.
  func needed(_ key: String, limit: Int) throws(ManifestProblem) -> String {
    guard let text = try text(key, limit: limit) else {
      throw ManifestProblem(line, .missingKey, ["key": key])
    }
    return text
  }

  /// Returns a text that has to be there, in one of the languages, if it is there in it.
  func needed(_ key: String, limit: Int, in languages: [String]) throws(ManifestProblem)
    -> String
  {
    let standard = try needed(key, limit: limit)
    var texts: [String: String] = [:]
    for entry in table.entries {
      guard let (name, tag) = Self.parts(of: entry.key), name == key else { continue }
      texts[tag.lowercased()] = try text(entry.key, limit: limit)
    }
    return LanguageTag.best(of: texts, for: languages) ?? standard
  }

  /// Returns the texts of a list; `nil`: there is none.
  /// - Parameter limit: of each, in bytes.
  func texts(_ key: String, limit: Int) throws(ManifestProblem) -> [String]? {
    guard let value = table[key] else { return nil }
    guard let texts = value.strings else {
      throw ManifestProblem(value.line, .needsTexts, ["key": key])
    }
    guard !texts.isEmpty else { throw ManifestProblem(value.line, .empty, ["key": key]) }
    guard texts.count <= ManifestLimits.elements else {
      throw ManifestProblem(
        value.line, .tooMany, ["what": key, "limit": String(ManifestLimits.elements)])
    }
    for text in texts { try Self.check(text, of: key, limit: limit, line: value.line) }
    return texts
  }

  /// Returns the conversations of a list; `nil`: there is none.
  func scope(_ key: String) throws(ManifestProblem) -> BridgeScope? {
    guard let names = try texts(key, limit: ManifestLimits.argument) else { return nil }
    for name in names where BridgeScope([name]) == nil {
      throw ManifestProblem(line(of: key), .unknownScope, ["scope": name])
    }
    return BridgeScope(names)
  }

  /// `title.fr`: the key and the language; `nil` for a key without a period.
  private static func parts(of key: String) -> (key: String, tag: String)? {
    guard let period = key.firstIndex(of: ".") else { return nil }
    return (String(key[..<period]), String(key[key.index(after: period)...]))
  }

  private static func check(
    _ text: String, of key: String, limit: Int, line: Int
  ) throws(ManifestProblem) {
    guard text.utf8.count <= limit else {
      throw ManifestProblem(line, .tooLong, ["key": key, "limit": String(limit)])
    }
    // C0, DEL and C1: none of them belongs into a line of text, or into the arguments of a program.
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw ManifestProblem(line, .control, ["key": key])
    }
  }
}

/// Tags of languages, such as `fr` and `zh-Hans` (BCP 47).
enum LanguageTag {
  /// The longest tag, in bytes.
  private static let limit = 35

  static func isValid(_ tag: String) -> Bool {
    !tag.isEmpty && tag.utf8.count <= limit
      && tag.split(separator: "-", omittingEmptySubsequences: false).allSatisfy {
        (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isLetterOrDigit)
      }
  }

  /// Returns the text of the first language that has one. A tag that has none is shortened: the
  /// text of `fr` serves `fr-CA`.
  /// - Parameter texts: by tags in lower case.
  static func best(of texts: [String: String], for languages: [String]) -> String? {
    for language in languages {
      var tag = language.lowercased()[...]
      while !tag.isEmpty {
        if let text = texts[String(tag)] { return text }
        tag = tag.lastIndex(of: "-").map { tag[..<$0] } ?? ""
      }
    }
    return nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
