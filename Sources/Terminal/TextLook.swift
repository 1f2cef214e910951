/// What is done to every text on its way to the screen, whoever wrote it and wherever it is shown.
package struct TextLook: Equatable, Sendable {
  /// Whether text from right to left is put in order here, for a terminal that draws it as it comes
  /// (interface.md, "Right-to-left text").
  package var ordersText: Bool
  /// What is drawn in place of a text, as with names for its emoji; `nil`: the text itself.
  package var spelling: (@Sendable (String) -> String)?
  /// The language that `spelling` spells in.
  package var language: String

  package init(
    ordersText: Bool = false, spelling: (@Sendable (String) -> String)? = nil, language: String = ""
  ) {
    self.ordersText = ordersText
    self.spelling = spelling
    self.language = language
  }

  /// Whether text is drawn as it is.
  var isPlain: Bool { !ordersText && spelling == nil }

  /// Looks of one program that do the same; there is one way to spell in a language.
  package static func == (left: TextLook, right: TextLook) -> Bool {
    left.ordersText == right.ordersText && (left.spelling == nil) == (right.spelling == nil)
      && left.language == right.language
  }

  /// One row as it is drawn from the left.
  /// - Parameter room: the columns there are for it: its end is cut off before it is put in order.
  func drawn(_ text: String, room: Int) -> String {
    let text = spelling.map { $0(text) } ?? text
    guard ordersText, BidiOrder.concerns(text) else { return text }
    // Blanks at the sides are of the row and not of its text: they stay where they are.
    let row = text.columns > room ? text.prefix(columns: room) : text[...]
    let start = row.firstIndex { $0 != " " } ?? row.endIndex
    let end = row.lastIndex { $0 != " " }.map { row.index(after: $0) } ?? start
    let core = row[start..<end]
    return row[..<start] + BidiOrder.visual(core, isRightToLeft: BidiOrder.isRightToLeft(core))
      + row[end...]
  }

  /// The same for a row of several parts.
  func drawn(_ text: StyledText, room: Int) -> StyledText {
    var row = text
    if let spelling {
      row = StyledText(runs: text.runs.map { StyledText.Run(spelling($0.text), $0.role) })
    }
    guard ordersText, row.runs.contains(where: { BidiOrder.concerns($0.text) }) else { return row }
    if row.columns > room { row = row.prefix(columns: room) }
    // What stands in columns keeps them.
    let turns = row.text.first != " " && BidiOrder.isRightToLeft(row.text)
    return BidiOrder.visual(row, isRightToLeft: turns)
  }
}
