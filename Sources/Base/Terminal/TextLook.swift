/// The transformations of every text on its way to the screen, regardless of its source.
package struct TextLook: Equatable, Sendable {
  /// Indicates whether right-to-left text is reordered here, for a terminal that does not do it
  /// itself (interface.md, "Right-to-left text").
  package var ordersText: Bool
  /// Returns the replacement that is drawn for a text, as with names for its emoji; `nil` draws the
  /// text itself.
  package var spelling: (@Sendable (String) -> String)?
  /// The language of `spelling`.
  package var language: String

  package init(
    ordersText: Bool = false, spelling: (@Sendable (String) -> String)? = nil, language: String = ""
  ) {
    self.ordersText = ordersText
    self.spelling = spelling
    self.language = language
  }

  /// Indicates whether text is drawn unchanged.
  var isPlain: Bool { !ordersText && spelling == nil }

  /// Compares the effects: there is only one spelling for each language.
  package static func == (left: TextLook, right: TextLook) -> Bool {
    left.ordersText == right.ordersText && (left.spelling == nil) == (right.spelling == nil)
      && left.language == right.language
  }

  /// Returns one row in visual order, from the left.
  /// - Parameter room: the columns available: the row is cut off before it is reordered.
  func drawn(_ text: String, room: Int) -> String {
    let text = spelling.map { $0(text) } ?? text
    guard ordersText, BidiOrder.concerns(text) else { return text }
    // Blanks at the sides belong to the layout, not to the text: they keep their positions.
    let row = text.columns > room ? text.prefix(columns: room) : text[...]
    let start = row.firstIndex { $0 != " " } ?? row.endIndex
    let end = row.lastIndex { $0 != " " }.map { row.index(after: $0) } ?? start
    let core = row[start..<end]
    return row[..<start] + BidiOrder.visual(core, isRightToLeft: BidiOrder.isRightToLeft(core))
      + row[end...]
  }

  /// Returns the same for a row of several parts.
  func drawn(_ text: StyledText, room: Int) -> StyledText {
    var row = text
    if let spelling {
      row = StyledText(runs: text.runs.map { StyledText.Run(spelling($0.text), $0.role) })
    }
    guard ordersText, row.runs.contains(where: { BidiOrder.concerns($0.text) }) else { return row }
    if row.columns > room { row = row.prefix(columns: room) }
    // Text after leading blanks is aligned in columns and keeps its direction.
    let turns = row.text.first != " " && BidiOrder.isRightToLeft(row.text)
    return BidiOrder.visual(row, isRightToLeft: turns)
  }
}
