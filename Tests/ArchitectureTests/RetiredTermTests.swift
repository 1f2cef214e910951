import Foundation
import Testing

/// The documents for developers and users, the English texts, the manual pages and the comments of
/// the tests do not use the retired terms of the glossary.
@Suite struct RetiredTermTests {
  /// A line that may use a retired term.
  private struct Exception: Sendable {
    let path: String
    let line: String
    let reason: String
  }

  private static let exceptions: [Exception] = []

  /// The lines of the file at `path`, without fenced code.
  private static func lines(of path: String) throws -> [(number: Int, text: String)] {
    var isCode = false
    var lines: [(number: Int, text: String)] = []
    for (index, line) in try Checkout.text(path).components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        lines.append((index + 1, line))
      }
    }
    return lines
  }

  private static func documents() throws -> [String] {
    let pages = try Checkout.names(in: "Resources/docs").filter { $0.hasSuffix(".md") }
    return ["CHANGELOG.md", "CONTRIBUTING.md", "README.md"] + pages.map { "Resources/docs/" + $0 }
  }

  @Test func `documents use no retired term`() throws {
    for path in try Self.documents() {
      for (number, line) in try Self.lines(of: path) {
        if Self.exceptions.contains(where: { $0.path == path && $0.line == line }) { continue }
        let found = RetiredTerms.forms(in: line)
        #expect(found == [], "\(path):\(number): \(line)")
      }
    }
  }

  /// Phrases in which a retired term has its ordinary meaning, in English texts and manual pages.
  private static let ordinaryPhrases: Set = [
    "in place of", "changes in place", "Turn TLS on", "turn a setting on", "swap two words",
    "other words", "all the words", "handful of words", "few words",
    "In your words", "I can tell you", "tells your contacts", "signs users in", ".Qq signs",
  ]

  /// The English texts and the lines of the manual pages, with their location.
  private static func shownTexts() throws -> [(location: String, text: String)] {
    var texts: [(location: String, text: String)] = []
    let folder = "Resources/locales/en"
    // Synonyms are never shown.
    for name in try Checkout.names(in: folder) where name != "synonyms.toml" {
      for (number, line) in try lines(of: "\(folder)/\(name)") where !line.hasPrefix("#") {
        // `"hello.words"` has what the user may type.
        guard let start = line.range(of: " = \""), !line[..<start.lowerBound].hasSuffix("words\"")
        else { continue }
        let text = line[start.upperBound...].replacing(#/\{[^}]*\}/#, with: " ")
        texts.append(("\(folder)/\(name):\(number)", String(text)))
      }
    }
    for name in try Checkout.names(in: "man") where name.last?.isNumber == true {
      for (number, line) in try lines(of: "man/\(name)") where !line.hasPrefix(".\\\"") {
        texts.append(("man/\(name):\(number)", line))
      }
    }
    return texts
  }

  @Test func `English texts and manual pages use no retired term`() throws {
    var found: [String] = []
    var needed: Set<String> = []
    let texts = try Self.shownTexts()
    #expect(texts.count > 5000)
    for (location, text) in texts where RetiredTerms.forms(in: text) != [] {
      var rest = text
      for phrase in Self.ordinaryPhrases where rest.contains(phrase) {
        needed.insert(phrase)
        rest = rest.replacing(phrase, with: "")
      }
      let terms = RetiredTerms.forms(in: rest)
      if terms != [] { found.append("\(location): \(terms.joined(separator: ", "))") }
    }
    #expect(found == [])
    #expect(needed == Self.ordinaryPhrases)
  }

  /// Returns the comments of a file that are lines of their own, with the number of the first.
  private static func comments(of text: String) -> [(number: Int, text: String)] {
    let (space, slash) = (UInt8(ascii: " "), UInt8(ascii: "/"))
    var comments: [(number: Int, text: String)] = []
    var isInside = false
    // Bytes are split faster than characters.
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == space }
      guard code.starts(with: [slash, slash]) else {
        isInside = false
        continue
      }
      let comment = String(decoding: code.drop { $0 == slash }, as: UTF8.self)
      if isInside {
        comments[comments.count - 1].text += comment
      } else {
        comments.append((index + 1, comment))
      }
      isInside = true
    }
    return comments
  }

  @Test func `comments of the tests use no retired term`() throws {
    // These are about the terms.
    let exceptions = ["CommentLimitsTests", "RetiredTerms", "RetiredTermTests"]
      .map { "Tests/ArchitectureTests/\($0).swift" }
    var found: [String] = []
    for (path, text) in try Checkout.texts(below: "Tests") where !exceptions.contains(path) {
      for comment in Self.comments(of: text) {
        let terms = RetiredTerms.forms(in: comment.text)
        if terms != [] {
          found.append("\(path):\(comment.number): \(terms.joined(separator: ", "))")
        }
      }
    }
    #expect(found == [])
  }

  @Test func `names of tests use no retired term`() throws {
    var names: [(path: String, name: String)] = []
    for (path, text) in try Checkout.texts(below: "Tests") {
      for part in text.components(separatedBy: "func `").dropFirst() {
        names.append((path, String(part.prefix { $0 != "`" })))
      }
    }
    #expect(names.count > 4000)
    let found = names.filter { RetiredTerms.forms(in: $0.name) != [] }
    #expect(found.map { "\($0.path): \($0.name)" } == [])
  }

  @Test func `each exception is still needed`() throws {
    for exception in Self.exceptions {
      let lines = try Self.lines(of: exception.path).map(\.text)
      #expect(lines.contains(exception.line), "\(exception.path): \(exception.line)")
      #expect(RetiredTerms.forms(in: exception.line) != [], "\(exception.line)")
      #expect(!exception.reason.isEmpty)
    }
  }

  @Test func `the glossary lists the same retired terms`() throws {
    let parts = try Checkout.text("Resources/docs/glossary.md")
      .components(separatedBy: "\n## Retired terms\n")
    let table = try #require(parts.count == 2 ? parts.last : nil)
    let listed = table.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.components(separatedBy: "`")[1] }
    #expect(listed == RetiredTerms.all.compactMap(\.forms.first))
  }

  @Test func `terms are found in text and not in code`() {
    #expect(RetiredTerms.forms(in: "Nothing is told of it.") == ["told"])
    #expect(RetiredTerms.forms(in: "What was typed here stays") == ["typed here"])
    #expect(RetiredTerms.forms(in: "The sign of a user who signs in") == ["sign"])
    #expect(RetiredTerms.forms(in: "Sign-ins with an at sign") == [])
    #expect(RetiredTerms.forms(in: "`contact_change.wish` and replaces, returns, heard") == [])
  }
}
