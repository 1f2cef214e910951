/// A file in the strict subset of TOML 1.0 that Natter reads (interface.md, "Configuration files").
///
/// `[section]` and `[section.sub]`, bare and quoted keys, basic and literal strings, decimal integers,
/// booleans, arrays on one or several lines, comments. No floats, dates, dotted keys, inline
/// tables, arrays of tables or strings of several lines: each is refused by its name.
package struct TOMLDocument: Equatable, Sendable {
  /// The sections in the file's order; the first is what stands above all sections.
  package internal(set) var tables: [TOMLTable]

  init() {
    tables = [TOMLTable(path: [], line: 0)]
  }

  /// What stands above the first section.
  package var root: TOMLTable { tables[0] }

  /// The section of that name, e.g. `document["ui"]` or `document["account", "work"]`.
  package subscript(path: String...) -> TOMLTable? { table(path) }

  /// The section of that name.
  package func table(_ path: [String]) -> TOMLTable? {
    tables.first { $0.path == path }
  }

  /// The sections directly inside another: `[a.b]` and `[a.c]` for `["a"]`.
  package func subtables(of path: [String]) -> [TOMLTable] {
    tables.filter { $0.path.count == path.count + 1 && $0.path.starts(with: path) }
  }

  /// Reads a file's text.
  /// - Throws: `TOMLError` for the first thing that is wrong in it.
  package static func parse(_ text: String) throws(TOMLError) -> TOMLDocument {
    let (document, errors) = parseCollectingErrors(text)
    if let first = errors.first { throw first }
    return document
  }

  /// Reads as much of a file's text as can be read.
  ///
  /// A line that is wrong is left out, and reading goes on behind it.
  /// - Returns: what could be read, and what is wrong, in the file's order.
  package static func parseCollectingErrors(
    _ text: String
  ) -> (document: TOMLDocument, errors: [TOMLError]) {
    var parser = TOMLParser(text)
    return parser.run()
  }
}
