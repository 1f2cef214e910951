import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// A sub-app with a list at the side and a content pane for its selected row, or with a single
/// pane.
///
/// The two are side by side where there is room, and two pages otherwise.
package final class PanedSubApp: SubApp {
  /// The parts from which a factory builds it.
  package struct Parts {
    /// The list; `nil` where there is only the content.
    package var sidebar: (any SubAppPane)?
    /// The content that is shown now beside the list.
    package var content: () -> any SubAppPane
    /// The width of the list for a screen of that many columns, including its border.
    package var sidebarColumns: (Int) -> Int
    /// The key under which the width that the user chose is remembered; `nil`: not at all.
    package var widthKey: String?

    package init(
      sidebar: (any SubAppPane)? = nil, widthKey: String? = nil,
      sidebarColumns: @escaping (Int) -> Int = { $0 >= 100 ? 28 : 22 },
      content: @escaping () -> any SubAppPane
    ) {
      self.sidebar = sidebar
      self.widthKey = widthKey
      self.sidebarColumns = sidebarColumns
      self.content = content
    }
  }

  private enum Side { case sidebar, content }

  private let frame: ShellFrame
  private let parts: Parts
  private var focus: Side
  /// Indicates whether list and content are pages: the page with the focus is shown.
  private var isPaged = false
  private var isTooSmall = false
  private var shownPlacements: [Placement] = []
  private var size = Size(rows: 0, columns: 0)
  private var edge = EdgeDrag()
  /// The widths of the list that the user chose.
  private var widths = ListWidths()

  package init(frame: ShellFrame, parts: Parts) {
    self.frame = frame
    self.parts = parts
    focus = parts.sidebar == nil ? .content : .sidebar
    guard let key = parts.widthKey else { return }
    frame.shell.recall(key) { [weak self] text in
      guard let self, widths == ListWidths(), text != nil else { return }
      widths = ListWidths(text)
      self.parts.sidebar?.invalidation.raise()
    }
  }

  /// Called with the page to go to, and the item on it.
  var onShow: (String, String) -> Void = { _, _ in }

  /// The pages that have been created, by their index, where there are several.
  var madePages: () -> [Int: any SubAppPane] = { [:] }
  /// The page with an index.
  var page: (Int) -> (any SubAppPane)? = { _ in nil }

  package func restore(from other: any SubApp) {
    guard let other = other as? PanedSubApp else { return }
    if let sidebar = parts.sidebar, let old = other.parts.sidebar { sidebar.restore(from: old) }
    let pages = other.madePages()
    if pages.isEmpty { parts.content().restore(from: other.parts.content()) }
    for (placement, old) in pages { page(placement)?.restore(from: old) }
    focus = other.focus
    widths = other.widths
  }

  package func leave() { parts.content().isFocused = false }

  package func show(page: String, item: String) {
    onShow(page, item)
    showContent()
  }

  /// Moves the focus to the content; on a narrow screen its page is shown.
  package func showContent() { focus = .content }

  /// Moves the focus to the list; on a narrow screen its page is shown.
  package func showSidebar() { if parts.sidebar != nil { focus = .sidebar } }

  private var focused: any SubAppPane {
    if focus == .sidebar, let sidebar = parts.sidebar { return sidebar }
    return parts.content()
  }

  package var focusedPane: any Pane { isTooSmall ? frame.tooSmall : focused }
  package var context: KeyBinding.Context { focused.context }
  package var keyTexts: String { focused.keyTexts }
  package var acceptedActions: Set<KeyAction>? {
    guard parts.sidebar != nil, focus == .sidebar else { return focused.acceptedActions }
    return focused.acceptedActions?.union([.narrow, .widen])
  }

  // MARK: Layout

  package func placements(in size: Size) -> [Placement] {
    self.size = size
    shownPlacements = layOut(size)
    if !isTooSmall, size.rows < 10 { shownPlacements += frame.corner(size) }
    let content = parts.content()
    parts.sidebar?.isFocused = focus == .sidebar
    content.isFocused = focus == .content
    frame.showHints(for: context, only: focused.hintedActions, called: focused.hintKeys)
    return shownPlacements
  }

  private func layOut(_ size: Size) -> [Placement] {
    isTooSmall = ScreenLayout.isTooSmall(size)
    if isTooSmall {
      return [
        Placement(
          frame.tooSmall, Rect(row: 0, column: 0, rows: size.rows, columns: size.columns))
      ]
    }
    var placements: [Placement] = []
    var top = 0
    var bottom = size.rows
    if size.rows >= 10 {
      placements.append(
        Placement(frame.tabBar, Rect(row: 0, column: 0, rows: 1, columns: size.columns)))
      top = 1
    }
    if size.rows >= 20 {
      bottom -= 1
      placements.append(
        Placement(frame.hintBar, Rect(row: bottom, column: 0, rows: 1, columns: size.columns)))
    }
    let wanted = frame.status.rows(width: size.columns, screenRows: size.rows)
    let statusRows = min(size.rows >= 16 ? max(1, wanted) : wanted, bottom - top - 1)
    if statusRows > 0 {
      bottom -= statusRows
      placements.append(
        Placement(
          frame.status, Rect(row: bottom, column: 0, rows: statusRows, columns: size.columns)))
    }
    isPaged =
      (size.columns < ScreenLayout.narrowWidth || frame.glyphs.isLinear) && parts.sidebar != nil
    let content = parts.content()
    guard let sidebar = parts.sidebar else {
      content.isPage = true
      return placements + [
        Placement(content, Rect(row: top, column: 0, rows: bottom - top, columns: size.columns))
      ]
    }
    sidebar.isPage = isPaged
    content.isPage = isPaged
    if isPaged {
      return placements + [
        Placement(focused, Rect(row: top, column: 0, rows: bottom - top, columns: size.columns))
      ]
    }
    let left = sidebarColumns
    return placements + [
      Placement(sidebar, Rect(row: top, column: 0, rows: bottom - top, columns: left)),
      Placement(
        content, Rect(row: top, column: left, rows: bottom - top, columns: size.columns - left)),
    ]
  }

  /// The width of the list beside the content.
  private var sidebarColumns: Int {
    guard let wanted = widths[size] else {
      return min(size.columns - 1, parts.sidebarColumns(size.columns))
    }
    return max(12, min(wanted, size.columns - Self.leastContent))
  }

  /// The least columns of the content, however wide the list is.
  private static let leastContent = 24

  private func resize(to columns: Int) {
    widths[size] = columns
    // Not more than fits: the excess would have to be dragged back first.
    widths[size] = sidebarColumns
    parts.sidebar?.invalidation.raise()
  }

  private func rememberWidth() {
    guard let key = parts.widthKey else { return }
    frame.shell.remember(widths.text, as: key)
  }

  // MARK: Input

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if isTooSmall || focused.perform(action) == .handled { return .handled }
    switch action {
    case .nextPane, .previousPane, .complete, .completeBack: moveFocus()
    case .cancel:
      if focus == .content, parts.sidebar != nil {
        focus = .sidebar
      } else {
        frame.shell.status.clear()
      }
    case .interrupt: frame.shell.interrupt()
    case .widen, .narrow:
      guard parts.sidebar != nil, !isPaged else {
        frame.shell.show(StatusNotice(.info, "status.noSidebar"))
        break
      }
      resize(to: sidebarColumns + (action == .widen ? 2 : -2))
      rememberWidth()
    default: return .ignored
    }
    return .handled
  }

  private func moveFocus() {
    if parts.sidebar != nil { focus = focus == .sidebar ? .content : .sidebar }
  }

  package func takesFirst(_ key: Key) -> Bool { !isTooSmall && focused.takesFirst(key) }

  package func takesUnbound(_ key: Key) { if !isTooSmall { _ = focused.handle(key) } }

  package func paste(_ text: String) { if !isTooSmall { _ = focused.handlePaste(text) } }

  package func handle(_ mouse: MouseEvent) {
    let side = isPaged ? nil : shownPlacements.first { $0.pane === parts.sidebar }?.frame
    switch edge.take(mouse, side: side) {
    case .held: return
    case .moved(let columns): return resize(to: columns)
    case .released: return rememberWidth()
    case nil: break
    }
    guard let placement = shownPlacements.first(where: { $0.frame.contains(mouse.at) }) else {
      return
    }
    if mouse.action == .press {
      if placement.pane === parts.sidebar { focus = .sidebar }
      if placement.pane === parts.content() { focus = .content }
    }
    _ = placement.pane.handle(mouse.inside(placement.frame))
  }
}
