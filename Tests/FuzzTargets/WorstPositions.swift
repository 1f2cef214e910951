import XML
import XMPP

/// The positions in stanzas where others choose a text: each attribute and each text, one after the
/// other.
package struct WorstPositions {
  /// The position of a text: the children that lead to its element, and the attribute; `nil`: the
  /// text inside.
  private struct Position {
    let path: [Int]
    let attribute: String?
  }

  /// The ways to process a text: sorting, looking back, counting from its beginning, reversing,
  /// splitting.
  package static let kinds: [(name: String, text: @Sendable (Int) -> String)] = [
    (
      "marks",
      {
        "a" + String(repeating: "\u{301}", count: $0 / 4)
          + String(repeating: "\u{316}", count: $0 / 4)
      }
    ),
    ("pictures and joiners", { String(repeating: "\u{1F469}\u{200D}", count: $0 / 7) }),
    ("flags", { String(repeating: "\u{1F1E6}", count: $0 / 4) }),
    ("vowels of Hangul", { String(repeating: "\u{1161}", count: $0 / 3) }),
    ("conjuncts", { String(repeating: "\u{915}\u{94D}", count: $0 / 6) }),
    ("directions", { String(repeating: "\u{202E}\u{2066}", count: $0 / 6) }),
    ("one word", { String(repeating: "w", count: $0) }),
    ("blanks", { String(repeating: " \u{A0}\n", count: $0 / 4) }),
    ("signs", { String(repeating: "/@<&'%=?", count: $0 / 8) }),
  ]

  private let stanzas: [Element]
  private let positions: [(stanza: Int, position: Position)]

  /// The number of positions.
  package var count: Int { positions.count }

  /// - Parameter bytes: stanzas as a server sends them behind its stream's header.
  package init(_ bytes: [UInt8]) throws {
    let parser = XMLStreamParser()
    _ = try parser.feed(StanzaFuzzing.header)
    var found: [Element] = []
    for case .element(let element) in try parser.feed(bytes) { found.append(element) }
    stanzas = found
    positions = found.indices.flatMap { stanza in
      Self.positions(in: found[stanza]).map { (stanza, $0) }
    }
  }

  private static func positions(in element: Element, at path: [Int] = []) -> [Position] {
    var positions = element.attributes.map { Position(path: path, attribute: $0.key) }
      .sorted { ($0.attribute ?? "") < ($1.attribute ?? "") }
    positions.append(Position(path: path, attribute: nil))
    for (index, child) in element.children.enumerated() {
      if case .element(let inner) = child {
        positions += Self.positions(in: inner, at: path + [index])
      }
    }
    return positions
  }

  /// Returns the text at a position, for reports.
  package func name(of number: Int) -> String {
    let (stanza, position) = positions[number]
    var names = [stanzas[stanza].name]
    var element = stanzas[stanza]
    for index in position.path {
      guard case .element(let inner) = element.children[index] else { break }
      element = inner
      names.append(inner.name)
    }
    return names.joined(separator: "/") + (position.attribute.map { "@\($0)" } ?? "")
  }

  /// The stanza with `text` at a position, as it comes over the stream.
  package func bytes(with text: String, at number: Int) -> [UInt8] {
    let (stanza, position) = positions[number]
    return XMLWriter().bytes(
      Self.replacing(position, position.path[...], by: text, in: stanzas[stanza]))
  }

  private static func replacing(
    _ position: Position, _ path: ArraySlice<Int>, by text: String, in element: Element
  ) -> Element {
    var changed = element
    if let index = path.first, case .element(let inner) = element.children[index] {
      changed.children[index] = .element(
        replacing(position, path.dropFirst(), by: text, in: inner))
    } else if let attribute = position.attribute {
      changed[attribute] = text
    } else {
      changed.children = element.elements.map { .element($0) } + [.text(text)]
    }
    return changed
  }

  /// Reads the stanza with `text` at a position as everything that it could be.
  /// - Throws: `FuzzFinding` where something of it is kept that is longer than what came, or has
  ///   clusters without end.
  package func read(_ text: String, at number: Int) throws {
    let bytes = bytes(with: text, at: number)
    try KeptTexts.$limit.withValue(bytes.count) { try StanzaFuzzing.read(bytes) }
  }

  /// The same for what `bytes(with:at:)` gave, without a look at what is kept.
  package static func read(_ bytes: [UInt8]) throws { try StanzaFuzzing.read(bytes) }
}
