import NatterCore
import Terminal
import ViewModels

/// A sub-app of a list at the side and what belongs to its selected row, or of one pane alone.
///
/// Beside each other where there is room; two pages where there is not.
package final class PanedSubApp: SubApp {
  /// What a factory puts it together from.
  package struct Parts {
    /// The list; `nil` where there is only the content.
    package var sidebar: (any SubAppPane)?
    /// What is shown now beside the list.
    package var content: () -> any SubAppPane
    /// How wide the list is on a screen of that many columns, its border with it.
    package var sidebarColumns: (Int) -> Int
    /// What the width is remembered as that the person has given it; `nil`: not at all.
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
  /// On a narrow screen: which of the two pages is shown is where the focus is.
  private var isPaged = false
  private var isTooSmall = false
  private var placed: [Placement] = []
  private var size = Size(rows: 0, columns: 0)
  private var edge = EdgeDrag()
  /// How wide the person has made the list.
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

  /// Called with the page to go to, and the thing on it.
  var onShow: (String, String) -> Void = { _, _ in }

  /// The pages that were made so far, by their place, where there are several.
  var madePages: () -> [Int: any SubAppPane] = { [:] }
  /// The page at a place.
  var page: (Int) -> (any SubAppPane)? = { _ in nil }

  package func takePlace(of other: any SubApp) {
    guard let other = other as? PanedSubApp else { return }
    if let sidebar = parts.sidebar, let old = other.parts.sidebar { sidebar.takePlace(of: old) }
    let pages = other.madePages()
    if pages.isEmpty { parts.content().takePlace(of: other.parts.content()) }
    for (place, old) in pages { page(place)?.takePlace(of: old) }
    focus = other.focus
    widths = other.widths
  }

  package func leave() { parts.content().isFocused = false }

  package func show(page: String, item: String) {
    onShow(page, item)
    showContent()
  }

  /// Gives the focus to the content; on a narrow screen it becomes the page.
  package func showContent() { focus = .content }

  /// Gives the focus to the list; on a narrow screen it becomes the page.
  package func showSidebar() { if parts.sidebar != nil { focus = .sidebar } }

  private var focused: any SubAppPane {
    if focus == .sidebar, let sidebar = parts.sidebar { return sidebar }
    return parts.content()
  }

  package var focusedPane: any Pane { isTooSmall ? frame.tooSmall : focused }
  package var context: KeyBinding.Context { focused.context }
  package var keyWords: String { focused.keyWords }
  package var acceptedActions: Set<KeyAction>? {
    guard parts.sidebar != nil, focus == .sidebar else { return focused.acceptedActions }
    return focused.acceptedActions?.union([.narrow, .widen])
  }

  // MARK: Layout

  package func placements(in size: Size) -> [Placement] {
    self.size = size
    placed = layOut(size)
    if !isTooSmall, size.rows < 10 { placed += frame.corner(size) }
    let content = parts.content()
    parts.sidebar?.isFocused = focus == .sidebar
    content.isFocused = focus == .content
    frame.showHints(for: context, only: focused.hintedActions, called: focused.hintKeys)
    return placed
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
    let wanted = frame.status.rows(width: size.columns)
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

  /// How wide the list is where it stands beside the content.
  private var sidebarColumns: Int {
    guard let wanted = widths[size] else {
      return min(size.columns - 1, parts.sidebarColumns(size.columns))
    }
    return max(12, min(wanted, size.columns - Self.leastContent))
  }

  /// The columns that the content keeps, whatever the list is given.
  private static let leastContent = 24

  private func resize(to columns: Int) {
    widths[size] = columns
    // Not more than fits: what is beyond would have to be dragged back first.
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
    let side = isPaged ? nil : placed.first { $0.pane === parts.sidebar }?.frame
    switch edge.take(mouse, side: side) {
    case .held: return
    case .moved(let columns): return resize(to: columns)
    case .released: return rememberWidth()
    case nil: break
    }
    guard let place = placed.first(where: { $0.frame.contains(mouse.at) }) else { return }
    if mouse.action == .press {
      if place.pane === parts.sidebar { focus = .sidebar }
      if place.pane === parts.content() { focus = .content }
    }
    _ = place.pane.handle(mouse.inside(place.frame))
  }
}
