import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The details of an item: a title, and terms with their values below it.
package final class DetailPane: SubAppPane {
  package var isPage = false { didSet { if isPage != oldValue { invalidation.raise() } } }
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      invalidation.raise()
      if isFocused { onFocus() }
    }
  }
  /// Called when it gets the focus.
  var onFocus: () -> Void = {}
  package let invalidation: Invalidation

  private let frame: ShellFrame
  private let accent: StyleRole
  private let read: () -> (title: String, items: [DetailItem], hint: String)
  private let accepts: () -> Set<KeyAction>
  private let act: (KeyAction) -> KeyDisposition
  private let picture: () -> PictureFile?
  private var first = 0
  /// The row of the cursor, for a screen reader, where Up and Down go from row to row.
  private var line = 0
  /// The number of rows at the last drawing, and how many of them fit.
  private var drawn = (rows: 0, room: 1)

  package func restore(from other: any SubAppPane) {
    if let other = other as? DetailPane { first = other.first }
  }

  /// - Parameters:
  ///   - invalidation: raised when the result of `read` changes.
  ///   - keyTexts: the prefix of its own key descriptions.
  ///   - hintedActions: the actions in the hint bar.
  ///   - accepts: the actions that `act` performs.
  ///   - act: performs the actions other than scrolling.
  ///   - picture: the picture above the details, if pictures are drawn.
  ///   - read: returns the contents.
  package init(
    frame: ShellFrame, accent: StyleRole, invalidation: Invalidation, keyTexts: String = "",
    hintedActions: Set<KeyAction> = [.selectNext],
    accepts: @escaping () -> Set<KeyAction> = { [] },
    act: @escaping (KeyAction) -> KeyDisposition = { _ in .ignored },
    picture: @escaping () -> PictureFile? = { nil },
    read: @escaping () -> (title: String, items: [DetailItem], hint: String)
  ) {
    self.frame = frame
    self.accent = accent
    self.invalidation = invalidation
    self.keyTexts = keyTexts
    self.hintedActions = hintedActions
    self.accepts = accepts
    self.act = act
    self.picture = picture
    self.read = read
  }

  package let keyTexts: String
  package private(set) var hintedActions: Set<KeyAction>?
  package var acceptedActions: Set<KeyAction>? {
    accepts().union([.selectNext, .selectPrevious, .selectFirst])
  }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let (title, items, hint) = read()
    let left = isPage ? 1 : 2
    let columns = max(1, size.columns - left - 1)
    surface.write(
      (isFocused ? frame.glyphs.marker + " " : "")
        + title.truncated(columns: columns - 2, mark: frame.glyphs.ellipsis), row: 0, column: left,
      role: isFocused ? .strong : accent)
    var rows: [StyledText] = []
    let terms = min(items.reduce(0) { max($0, $1.term.columns) }, max(6, columns / 3))
    for item in items where frame.glyphs.isLinear {
      let text = item.term.isEmpty ? item.text : "\(item.term): \(item.text)"
      rows += LineWrap.rows(of: text, width: columns).map { StyledText(String($0), .plain) }
    }
    for item in items where !frame.glyphs.isLinear {
      let width = max(8, columns - terms - 2)
      let lines = LineWrap.rows(of: item.text, width: width)
      for (index, line) in lines.enumerated() {
        let term = index == 0 ? item.term.truncated(columns: terms) : ""
        rows.append(
          StyledText(term.padded(columns: terms + 2), .dim) + StyledText(String(line), .plain))
      }
    }
    if !hint.isEmpty {
      rows.append(StyledText())
      rows += LineWrap.rows(of: hint, width: columns).map { StyledText(String($0), .dim) }
    }
    // The picture has its own rows above the text, and scrolls with it.
    let drawn = picture().flatMap { file in
      frame.pictures.sizes.size(of: file, within: Size(rows: 8, columns: min(24, columns)))
        .map { (file: file, size: $0) }
    }
    if let drawn {
      rows = Array(repeating: StyledText(), count: drawn.size.rows + 1) + rows
    }
    let room = max(0, size.rows - 2)
    first = max(0, min(first, rows.count - max(1, room)))
    for (offset, row) in rows.dropFirst(first).prefix(room).enumerated() {
      surface.write(row, row: offset + 2, column: left, limit: columns)
    }
    if let drawn, first < drawn.size.rows, room > 0 {
      frame.pictures.draw(
        drawn.file, size: drawn.size, rows: first..<min(drawn.size.rows, first + room),
        at: Point(row: 2, column: left), for: invalidation, into: &surface)
    }
    self.drawn = (rows.count, max(1, room))
    line = max(first, min(line, min(rows.count, first + max(1, room)) - 1))
    guard isFocused else { return }
    let row = frame.glyphs.isLinear && !rows.isEmpty ? 2 + line - first : 0
    surface.cursor = Point(row: min(row, max(0, size.rows - 1)), column: left)
  }

  /// Moves the cursor by rows; scrolls only if it would leave the visible rows.
  private func moveLine(_ step: Int) {
    line = max(0, min(drawn.rows - 1, line + step))
    first = max(min(first, line), line - drawn.room + 1)
  }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    switch action {
    case .selectNext where frame.glyphs.isLinear: moveLine(1)
    case .selectPrevious where frame.glyphs.isLinear: moveLine(-1)
    case .pageDown where frame.glyphs.isLinear: moveLine(10)
    case .pageUp where frame.glyphs.isLinear: moveLine(-10)
    case .selectNext: first += 1
    case .selectPrevious: first = max(0, first - 1)
    case .selectFirst, .oldest: (first, line) = (0, 0)
    case .newest: (first, line) = (drawn.rows, drawn.rows)
    case .pageDown: first += 10
    case .pageUp: first = max(0, first - 10)
    default: return act(action)
    }
    invalidation.raise()
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelDown: perform(.selectNext)
    case .wheelUp: perform(.selectPrevious)
    default: .ignored
    }
  }
}
