import Foundation
import Testing

/// The documents for developers and users do not use the retired terms of the glossary.
@Suite struct RetiredTermTests {
  /// A term that documents no longer use.
  private struct Term: Sendable {
    /// Its forms in lower case, the glossary's first. A form may have several words.
    let forms: [String]
    /// Words that give the term another meaning when they follow it, as in "sign in".
    let exceptBefore: Set<String>

    init(_ forms: String..., exceptBefore: Set<String> = []) {
      self.forms = forms
      self.exceptBefore = exceptBefore
    }
  }

  /// The terms in the order of the glossary's table.
  private static let terms: [Term] = [
    Term("tell", "tells", "told", "telling"),
    Term("wish", "wishes", "wished"),
    Term("place", "places", "placed"),
    Term("handed"),
    Term("words"),
    Term("deed", "deeds"),
    Term("stand", "stands", "standing", "stood"),
    Term("shelf", "shelves"),
    Term("stock"),
    Term("seat", "seats"),
    Term("desk"),
    Term("door", "doors"),
    Term("trial", "trials"),
    Term("turn", "turns", "turned", "turning"),
    Term("a measure", "the measure", "no measure"),
    Term("typed here"),
    Term("from elsewhere"),
    Term("sign", "signs", exceptBefore: ["in", "out", "up"]),
    Term("he", "him", "his", "himself"),
    Term("whoever"),
    Term("the person"),
  ]

  /// A line that may use a retired term.
  private struct Exception: Sendable {
    let path: String
    let line: String
    let reason: String
  }

  private static let exceptions = [
    Exception(
      path: "Resources/docs/database.md", line: "## profile_wish",
      reason: "The name of a table, which files of users contain.")
  ]

  /// Words of `line` in lower case, without what is between grave accents. `profile_wish` is two.
  private static func words(of line: String) -> [String] {
    let text = line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 0 }
      .map(\.element).joined(separator: " ").lowercased()
    return text.split { !$0.isLetter }.map(String.init)
  }

  /// The forms of retired terms in `line`.
  private static func retired(in line: String) -> [String] {
    let words = words(of: line)
    var found: [String] = []
    for term in terms {
      for form in term.forms {
        let wanted = form.split(separator: " ").map(String.init)
        for start in words.indices where words[start...].starts(with: wanted) {
          let next = start + wanted.count
          if next < words.count, term.exceptBefore.contains(words[next]) { continue }
          found.append(form)
        }
      }
    }
    return found
  }

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
    return ["CHANGELOG.md", "CONTRIBUTING.md"] + pages.map { "Resources/docs/" + $0 }
  }

  @Test func `documents use no retired term`() throws {
    for path in try Self.documents() {
      for (number, line) in try Self.lines(of: path) {
        if Self.exceptions.contains(where: { $0.path == path && $0.line == line }) { continue }
        let found = Self.retired(in: line)
        #expect(found == [], "\(path):\(number): \(line)")
      }
    }
  }

  @Test func `each exception is still needed`() throws {
    for exception in Self.exceptions {
      let lines = try Self.lines(of: exception.path).map(\.text)
      #expect(lines.contains(exception.line), "\(exception.path): \(exception.line)")
      #expect(Self.retired(in: exception.line) != [], "\(exception.line)")
      #expect(!exception.reason.isEmpty)
    }
  }

  @Test func `the glossary lists the same retired terms`() throws {
    let parts = try Checkout.text("Resources/docs/glossary.md")
      .components(separatedBy: "\n## Retired terms\n")
    let table = try #require(parts.count == 2 ? parts.last : nil)
    let listed = table.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
      .map { $0.components(separatedBy: "`")[1] }
    #expect(listed == Self.terms.compactMap(\.forms.first))
  }

  @Test func `terms are found in text and not in code`() {
    #expect(Self.retired(in: "Nothing is told of it.") == ["told"])
    #expect(Self.retired(in: "What was typed here stays") == ["typed here"])
    #expect(Self.retired(in: "The sign of a user who signs in") == ["sign"])
    #expect(Self.retired(in: "`contact_change.wish` and replaces, returns, heard") == [])
  }
}
