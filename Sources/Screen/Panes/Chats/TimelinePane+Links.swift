import NatterCore
import Terminal
import Text
import ViewModels

// The positions of a message's links, and the letters that open them.
extension TimelinePane {
  /// A row's part of a link.
  struct LinkPart: Equatable {
    let link: String
    /// The row of the item.
    let row: Int
    let column: Int
    let columns: Int
    /// Indicates whether the link begins there.
    let isFirst: Bool
  }

  /// Every part of the links of an item, in their order.
  func parts(ofLinksIn item: TimelineItem) -> [LinkPart] {
    var pieces = LinkPieces(of: item)
    guard !pieces.links.isEmpty else { return [] }
    var parts: [LinkPart] = []
    for (row, line) in layout.unselectedRows(of: item).enumerated() {
      for piece in line.pieces where piece.role.isLink {
        var column = piece.column
        for part in pieces.parts(of: piece.text) {
          // In text from right to left their visual order may differ from the written one: no
          // letter is better than a wrong one.
          guard let link = part.link else {
            if part.text.allSatisfy(\.isWhitespace) { continue }
            return parts
          }
          parts.append(
            LinkPart(
              link: pieces.links[link].address, row: row, column: column,
              columns: part.text.columns,
              isFirst: part.isFirst))
          column += part.text.columns
        }
      }
    }
    return parts
  }

  /// Draws the letters that open an item's links, or its file, over their first column while they
  /// can be chosen: nothing moves for them, and text that is copied at other times does not contain
  /// them.
  /// - Parameters:
  ///   - rows: the visible rows of the item.
  ///   - first: the row of the surface that the first of them is on.
  func drawLinkHints(
    on item: TimelineItem, rows: Range<Int>, from first: Int, into surface: inout Surface
  ) {
    let hints = viewModel.linkHints
    // A screen reader gets the list, and the text unchanged.
    guard !hints.isEmpty, layout.form != .linear, case .message(let id) = item.id else { return }
    let role: StyleRole = item.isSelected ? .key : .selection
    func draw(_ glyph: Character, _ row: Int, _ column: Int) {
      guard rows.contains(row) else { return }
      surface.writeAsIs(
        String(glyph), row: first + row - rows.lowerBound, column: column, role: role)
    }
    for part in parts(ofLinksIn: item) where part.isFirst {
      if let glyph = hints.links[part.link] { draw(glyph, part.row, part.column) }
    }
    guard let glyph = hints.files[id] else { return }
    // The rule at the left of its card.
    for (row, line) in layout.unselectedRows(of: item).enumerated() {
      let card = line.pieces.first { $0.text.hasPrefix(layout.glyphs.vertical + " ") }
      if let card { return draw(glyph, row, card.column) }
    }
  }
}
