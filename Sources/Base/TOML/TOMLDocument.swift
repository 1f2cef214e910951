/// A file in the strict subset of TOML 1.0 that Natter reads (interface.md, "Configuration files").
///
/// `[section]` and `[section.sub]`, bare and quoted keys, basic and literal strings, decimal
/// integers, booleans, arrays on one or several lines, comments. Floats, dates, dotted keys, inline
/// tables, arrays of tables and multi-line strings are refused, each with an error of its own.
package struct TOMLDocument: Equatable, Sendable {
  /// The sections in the file's order; the first one has the keys above all sections.
  package internal(set) var tables: [TOMLTable]

  init() {
    tables = [TOMLTable(path: [], line: 0)]
  }

  /// The keys above the first section.
  package var root: TOMLTable { tables[0] }

  /// The section with this name, e.g. `document["ui"]` or `document["account", "work"]`.
  package subscript(path: String...) -> TOMLTable? { table(path) }

  /// Returns the section with this name.
  package func table(_ path: [String]) -> TOMLTable? {
    tables.first { $0.path == path }
  }

  /// Returns the direct subsections: `[a.b]` and `[a.c]` for `["a"]`.
  package func subtables(of path: [String]) -> [TOMLTable] {
    tables.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
  }

  /// Parses the text of a file.
  /// - Throws: `TOMLError` for the first error in it.
  package static func parse(_ text: String) throws(TOMLError) -> TOMLDocument {
    let (document, errors) = parseCollectingErrors(text)
    if let first = errors.first { throw first }
    return document
  }

  /// Parses the valid part of a file's text.
  ///
  /// An invalid line is skipped, and parsing continues after it.
  /// - Parameter joinsDottedKeys: reads a dotted key `a.b` as the key "a.b", as in the manifests of
  ///   scripts; otherwise it is an error.
  /// - Returns: the valid part, and the errors, in the file's order.
  package static func parseCollectingErrors(
    _ text: String, joinsDottedKeys: Bool = false
  ) -> (document: TOMLDocument, errors: [TOMLError]) {
    var parser = TOMLParser(text, joinsDottedKeys: joinsDottedKeys)
    return parser.run()
  }
}
