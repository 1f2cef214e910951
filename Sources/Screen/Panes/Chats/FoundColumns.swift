import Terminal
import Text
import ViewModels

/// The columns of a list of matches: the time, the account where there are several, the
/// conversation, and the text after its sender, with the matches marked.
struct FoundColumns {
  private let columns: Int
  private let glyphs: Glyphs
  /// The widths of time and account.
  private var (time, account) = (0, 0)
  /// Indicates whether the time is short, accounts are numbers, and the sender is left out.
  private var isNarrow: Bool { columns < 50 }

  /// - Parameter columns: the columns of a row.
  init(_ rows: [FoundMessages.Row], columns: Int, _ glyphs: Glyphs) {
    self.columns = columns
    self.glyphs = glyphs
    time = min(12, rows.map { shownTime(of: $0).columns }.max() ?? 0)
    account = min(
      isNarrow ? 3 : columns / 5,
      rows.compactMap { $0.account.map { text(of: $0).columns } }.max() ?? 0)
  }

  private func shownTime(of row: FoundMessages.Row) -> String {
    isNarrow ? row.narrowTime : row.time
  }

  private func text(of account: FoundMessages.AccountName) -> String {
    isNarrow ? account.number : account.name
  }

  func draw(_ item: FoundMessages.Row, row: Int, left: Int, into surface: inout Surface) {
    guard !glyphs.isLinear else { return drawLinear(item, row: row, left: left, into: &surface) }
    var pen = left
    var parts = [(shownTime(of: item), time, StyleRole.dim)]
    if let name = item.account { parts.append((text(of: name), account, .nick(name.color))) }
    parts.append((item.conversation, min(20, columns / 4), .overlay))
    for (text, width, role) in parts where width > 0 {
      surface.write(
        text.truncated(columns: width, mark: glyphs.ellipsis), row: row, column: pen, role: role,
        limit: width)
      pen += width + 1
    }
    surface.write(text(of: item), row: row, column: pen, limit: max(0, left + columns - pen))
  }

  /// The mark of a message that only the server has, the sender where there is room, and the text
  /// with its matches marked.
  private func text(of item: FoundMessages.Row) -> StyledText {
    var text = StyledText()
    if !item.mark.isEmpty { text.append(item.mark + " ", .dim) }
    if !item.sender.isEmpty, !isNarrow { text.append(item.sender + ": ", .dim) }
    let characters = Array(item.text)
    var at = 0
    for range in item.ranges where range.upperBound <= characters.count {
      text.append(String(characters[at..<range.lowerBound]), .overlay)
      text.append(String(characters[range]), .searchMatch)
      at = range.upperBound
    }
    text.append(String(characters[at...]), .overlay)
    return text
  }

  /// Writes the parts one after the other, as a screen reader reads them.
  private func drawLinear(
    _ item: FoundMessages.Row, row: Int, left: Int, into surface: inout Surface
  ) {
    var parts = [(item.conversation, StyleRole.overlay), (item.time, .dim)]
    if let account = item.account { parts.append((account.name, .nick(account.color))) }
    if !item.mark.isEmpty { parts.append((item.mark, .dim)) }
    parts += [(item.sender, .dim), (item.text, .overlay)]
    surface.writeLinear(parts, row: row, column: left, limit: columns, mark: glyphs.ellipsis)
  }
}
