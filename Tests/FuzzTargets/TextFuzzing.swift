import NatterCore
import Terminal
import Text
import ViewModels

/// A text of a stranger on its way to the screen. The first byte is the width of the screen.
enum TextFuzzing {
  @Sendable static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let width = 1 + Int(input.byte()) % 100
    let text = input.text
    let line = SafeText.line(text)
    let block = SafeText.block(text)
    try require(line.unicodeScalars.allSatisfy(isHarmless), "a control character is left in a line")
    try require(
      block.unicodeScalars.allSatisfy { $0 == "\n" || isHarmless($0) },
      "a control character is left in a block")
    try require(SafeText.line(line) == line, "a safe line is not safe")
    try rows(block, width)
    // Only what is on the screen is put in order: parts of rows.
    for row in LineWrap.rows(of: line, width: width).prefix(20) { try bidi(String(row)) }
    try markup(text)
    var surface = Surface(size: Size(rows: 3, columns: width), look: TextLook())
    surface.write(StyledText(line), row: 0, column: 0)
    surface.write(text, row: 1, column: -3)
    for row in 0..<3 { _ = surface.text(row: row) }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
  }

  private static func rows(_ block: String, _ width: Int) throws {
    let rows = LineWrap.rows(of: block, width: width)
    try require(!rows.isEmpty, "no row")
    // One character may be wider than the whole row.
    for row in rows where row.count > 1 {
      try require(row.columns <= width, "a row of \(row.columns) columns in \(width)")
    }
    let styled = StyledText(block).wrapped(width: width)
    try require(
      styled.map(\.text) == rows.map(String.init), "styled text is wrapped in another way")
    _ = block.truncated(columns: width)
    _ = StyledText(block).truncated(columns: width)
  }

  private static func bidi(_ line: String) throws {
    for isRightToLeft in [false, true] {
      let visual = BidiOrder.visual(line, isRightToLeft: isRightToLeft)
      try require(visual.columns == line.columns, "the order changes how wide a line is")
      let columns = BidiOrder.columns(line, isRightToLeft: isRightToLeft)
      try require(
        columns.allSatisfy { (0...line.columns).contains($0) }, "a place outside of the line")
    }
    _ = BidiOrder.isRightToLeft(line)
  }

  private static func markup(_ text: String) throws {
    let spans = MessageMarkup.spans(of: text, mentions: Mention.ranges(of: "alice", in: text))
    try require(
      spans.map(\.text).joined().utf8.elementsEqual(text.utf8), "markup has changed the text")
    for link in MessageMarkup.links(in: text) {
      if let hyperlink = Hyperlink(link, id: 1) {
        try require(
          hyperlink.address.utf8.allSatisfy { (0x21...0x7E).contains($0) },
          "a link can end the sequence that it is in")
      }
      _ = ResourceAddress(link)
    }
  }
}
