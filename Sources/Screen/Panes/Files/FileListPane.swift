import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The files, active transfers first, and below them details of the selected one.
package final class FileListPane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }
  /// Called when Left moves to the filters of the list.
  var onFilters: () -> Void = {}

  private let viewModel: FilesViewModel
  private let frame: ShellFrame
  private var scroll = ListScroll()
  private var shown: [FileItem] = []

  package init(viewModel: FilesViewModel, frame: ShellFrame) {
    self.viewModel = viewModel
    self.frame = frame
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? FileListPane else { return }
    viewModel.restore(from: other.viewModel)
    scroll = other.scroll
  }
  static let actions: Set<KeyAction> = .moves.union([
    .open, .filter, .viewPicture, .saveAs, .forward, .showInChat, .pause, .remove, .valueBefore,
    .refresh,
  ])
  package var acceptedActions: Set<KeyAction>? { Self.actions }
  package var keyTexts: String { "files" }
  package var hintedActions: Set<KeyAction>? {
    let always: Set<KeyAction> = [.filter, .refresh]
    return switch viewModel.transferState {
    case .nothing: always
    case .moving(let isDownload):
      always.union([.showInChat, .pause, .remove]).union(isDownload ? [.open] : [])
    case .paused: always.union([.showInChat, .pause, .remove])
    case .failed: always.union([.open, .showInChat, .remove])
    case .file(_, let isPicture):
      always.union([.open, .saveAs, .forward, .showInChat]).union(isPicture ? [.viewPicture] : [])
    }
  }
  package var hintKeys: [KeyAction: String] {
    var keys: [KeyAction: String] = [.refresh: "files.hint.upload"]
    switch viewModel.transferState {
    case .nothing: break
    case .moving:
      keys[.open] = "files.hint.openLater"
      keys[.remove] = "files.hint.stop"
    case .paused:
      keys[.pause] = "files.hint.goOn"
      keys[.remove] = "files.hint.stop"
    case .failed:
      keys[.open] = "files.hint.retry"
      keys[.remove] = "files.hint.drop"
    case .file(let isHere, _): if !isHere { keys[.open] = "files.hint.fetch" }
    }
    return keys
  }

  // MARK: Drawing

  package func draw(into surface: inout Surface) {
    viewModel.readNews()
    let size = surface.size
    drawHead(into: &surface)
    let items = viewModel.items
    let details = size.rows >= 12 ? viewModel.details : []
    let preview = details.isEmpty || size.rows < 18 ? nil : viewModel.preview
    let previewRows = preview == nil ? 0 : min(10, size.rows / 3)
    let rows = max(
      0, size.rows - 1 - (details.isEmpty ? 0 : details.count + 1) - previewRows)
    scroll.show(
      items.firstIndex { $0.id == viewModel.selection }, of: items.count, rows: rows)
    shown = Array(items.dropFirst(scroll.top).prefix(rows))
    let columns = Columns(width: size.columns, timeIsShown: size.columns >= 52)
    for (offset, item) in shown.enumerated() {
      draw(item, row: offset + 1, columns: columns, into: &surface)
    }
    if isFocused, surface.cursor == nil {
      surface.cursor = Point(row: min(1, size.rows - 1), column: 0)
    }
    guard !details.isEmpty else { return }
    if let preview {
      PreviewDrawing(
        preview: preview, localizer: frame.localizer, glyphs: frame.glyphs, pictures: frame.pictures
      ).draw(
        in: Rect(
          row: size.rows - previewRows, column: 1, rows: previewRows,
          columns: max(0, size.columns - 2)), for: invalidation, into: &surface)
    }
    let top = size.rows - previewRows - details.count
    surface.write(
      String(repeating: frame.glyphs.horizontal, count: size.columns), row: top - 1, column: 0,
      role: .border)
    for (offset, line) in details.enumerated() {
      surface.write(
        line.truncated(columns: max(0, size.columns - 2), mark: frame.glyphs.ellipsis),
        row: top + offset, column: 1, role: offset == 0 ? .plain : .dim)
    }
  }

  private func drawHead(into surface: inout Surface) {
    let width = surface.size.columns
    let count = viewModel.count
    let room = max(0, width - 4 - count.columns)
    var lineEnd = 1
    if let search = viewModel.search {
      let start = surface.write(
        frame.filterLabel, row: 0, column: 1, role: .dim)
      let end = surface.write(
        search, row: 0, column: start, role: .input, limit: max(0, room + 1 - start))
      if isFocused { surface.cursor = Point(row: 0, column: min(end, width - 1)) }
      lineEnd = end
    } else {
      lineEnd = surface.write(
        frame.localizer("contacts.filterHint").truncated(
          columns: room, mark: frame.glyphs.ellipsis), row: 0, column: 1, role: .placeholder)
    }
    surface.write(
      count, row: 0,
      column: frame.glyphs.isLinear ? lineEnd + 2 : max(1, width - 1 - count.columns), role: .dim)
  }

  /// The columns of the parts of a row; a width of 0: there is no room for it.
  private struct Columns {
    let name = 4
    let nameWidth: Int
    let conversation: Int
    let conversationWidth: Int
    let date: Int
    let dateWidth: Int
    /// The column after the size, which is aligned to the right.
    let sizeEnd: Int
    let state: Int
    let stateWidth: Int

    init(width: Int, timeIsShown: Bool) {
      // On narrow screens the conversation is dropped before the state: it is also in the details
      // below.
      stateWidth = width >= 66 ? 11 : timeIsShown ? 10 : 0
      state = width - 1 - stateWidth
      sizeEnd = stateWidth == 0 ? width - 1 : state - 2
      dateWidth = timeIsShown ? 12 : 0
      date = sizeEnd - 7 - 1 - dateWidth
      conversationWidth = width >= 76 ? 18 : width >= 66 ? 12 : timeIsShown || width < 36 ? 0 : 8
      conversation = (dateWidth == 0 ? sizeEnd - 7 : date) - 1 - conversationWidth
      nameWidth = max(1, conversation - 1 - name)
    }
  }

  private func draw(_ item: FileItem, row: Int, columns: Columns, into surface: inout Surface) {
    let mark = frame.glyphs.ellipsis
    let width = surface.size.columns
    switch item.id {
    case .heading:
      surface.write(item.name, row: row, column: 1, role: .heading)
      return
    case .hint:
      for (offset, line) in LineWrap.rows(of: item.name, width: max(1, width - 2)).enumerated() {
        surface.write(line, row: row + offset, column: 1, role: .dim)
      }
      return
    case .transfer, .file: break
    }
    let isSelected = item.id == viewModel.selection
    // The state says what the glyph means.
    if !frame.glyphs.isLinear {
      surface.write(
        item.glyph, row: row, column: 2, role: item.hasFailed ? .statusError : .dim)
    }
    if frame.glyphs.isLinear {
      let state: StyleRole = item.hasFailed ? .statusError : .dim
      let facts: [(text: String, role: StyleRole)] =
        item.progress.isEmpty
        ? [
          (item.state, state), (item.conversation, .sidebar), (item.size, .dim),
          (item.date, .time),
        ] : [(item.progress, item.hasFailed ? .statusError : .statusInfo)]
      surface.writeLinear(
        [(item.name, isSelected ? .strong : .plain)] + facts, row: row, column: 2,
        limit: width - 3, kept: 2, mark: mark)
    } else if item.progress.isEmpty {
      surface.write(
        item.name.truncated(columns: columns.nameWidth, mark: mark), row: row,
        column: columns.name, role: isSelected ? .strong : .plain)
      drawFacts(item, row: row, columns: columns, into: &surface)
    } else {
      // The progress replaces the date.
      let text = width >= 52 ? item.progress : item.state
      let room = max(8, width - columns.name - 1)
      // The width of the longest progress text, so that the column does not move.
      let needed = max(text.columns, width >= 52 ? 33 : 7)
      let nameWidth = max(8, min(width >= 76 ? 30 : 20, room - min(needed, room / 2) - 1))
      surface.write(
        item.name.truncated(columns: nameWidth, mark: mark), row: row, column: columns.name,
        role: isSelected ? .strong : .plain)
      surface.write(
        text.truncated(columns: max(0, room - nameWidth - 1), mark: mark), row: row,
        column: columns.name + nameWidth + 1,
        role: item.hasFailed ? .statusError : .statusInfo)
    }
    guard isSelected else { return }
    surface.write(frame.glyphs.marker, row: row, column: 0, role: .strong)
    if isFocused {
      surface.restyle(Rect(row: row, column: 0, rows: 1, columns: width), role: .selection)
      if viewModel.search == nil { surface.cursor = Point(row: row, column: 0) }
    }
  }

  private func drawFacts(
    _ item: FileItem, row: Int, columns: Columns, into surface: inout Surface
  ) {
    let mark = frame.glyphs.ellipsis
    if columns.conversationWidth > 0 {
      surface.write(
        item.conversation.truncated(columns: columns.conversationWidth, mark: mark), row: row,
        column: columns.conversation, role: .sidebar)
    }
    if columns.dateWidth > 0 {
      surface.write(
        item.date.truncated(columns: columns.dateWidth, mark: mark), row: row,
        column: columns.date, role: .time)
    }
    surface.write(item.size, row: row, column: columns.sizeEnd - item.size.columns, role: .dim)
    if columns.stateWidth > 0 {
      surface.write(
        item.state.truncated(columns: columns.stateWidth, mark: mark), row: row,
        column: columns.state, role: item.hasFailed ? .statusError : .dim)
    }
  }

  // MARK: Input

  package func takesFirst(_ key: Key) -> Bool {
    guard let search = viewModel.search,
      let meant = FilterKey(key, in: search, by: frame.bindings)
    else { return false }
    switch meant {
    case .typed(let text): viewModel.typeSearch(text)
    case .shortened(let count): viewModel.shortenSearch(by: count)
    case .ended: viewModel.endSearch()
    case .nothing: break
    }
    return true
  }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if viewModel.move(action, page: shown.count) { return .handled }
    switch action {
    case .open: viewModel.open()
    case .filter: viewModel.beginSearch()
    case .viewPicture: viewModel.viewPicture()
    case .saveAs: viewModel.saveAs()
    case .forward: viewModel.forward()
    case .showInChat: viewModel.showInChat()
    case .pause: viewModel.pause()
    case .remove: viewModel.remove()
    case .refresh: viewModel.upload()
    case .valueBefore: onFilters()
    case .cancel: return viewModel.endSearch() ? .handled : .ignored
    default: return .ignored
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition {
    guard viewModel.search != nil else { return .ignored }
    viewModel.typeSearch(text)
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if viewModel.move(mouse) { return .handled }
    let index = mouse.at.row - 1
    guard mouse.action == .press, mouse.button == 1, shown.indices.contains(index),
      shown[index].isSelectable
    else { return .ignored }
    // The first click selects, the second one opens.
    if shown[index].id == viewModel.selection {
      viewModel.open()
    } else {
      viewModel.select(shown[index].id)
    }
    return .handled
  }
}
