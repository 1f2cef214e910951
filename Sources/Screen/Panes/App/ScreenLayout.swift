import Terminal
import ViewModels

/// The layout of the chats for one screen size (interface.md, "Layout"): a pure function.
nonisolated package struct ScreenLayout: Hashable, Sendable {
  /// On smaller screens, only a notice is shown.
  package static let least = Size(rows: 8, columns: 30)

  /// Returns whether `size` is below `least` in rows or columns.
  package static func isTooSmall(_ size: Size) -> Bool {
    size.rows < least.rows || size.columns < least.columns
  }

  /// Narrower screens show one thing at a time.
  package static let narrowWidth = 60

  /// The two pages of a narrow screen.
  package enum Page: Hashable, Sendable { case list, conversation }

  /// The inputs of the layout other than the size.
  package struct Preferences: Hashable, Sendable {
    /// Indicates whether there are details to show beside the conversation: the occupants of a
    /// room, or a contact's.
    package var hasDetails = false
    /// Indicates whether the details are shown by default, where there is room.
    package var showsDetailsByDefault = true
    /// The user's choice, or `nil` for what fits.
    package var showsDetails: Bool?
    /// The user's choice, or `nil` for the setting.
    package var showsSidebar: Bool?
    /// Indicates whether the sidebar is shown by default, where there is room (`ui.sidebar`).
    package var showsSidebarByDefault = true
    /// The width of the sidebar that the user chose, in columns, or `nil` for one that suits the
    /// screen.
    package var sidebarColumns: Int?
    package var page = Page.conversation
    /// Indicates whether borders and sidebar are hidden, for selecting text.
    package var isPlain = false
    /// Indicates whether everything is stacked, whatever the width: for a screen reader.
    package var isLinear = false
    /// The arrangement of two conversations, where there is room; `nil`: there is one.
    package var split: ConversationSplit?
    /// The share of the first of the two, in thousandths; `nil`: half.
    package var splitShare: Int?
    /// The slot with the focus: 0 is at the left or the top.
    package var currentHalf = 0
    /// Rows for the list of accounts; 0 where there is only one account.
    package var accountRows = 0
    /// Preferred rows of the input, at least 1.
    package var inputRows = 1
    /// Preferred rows of the other conversation's input.
    package var otherInputRows = 1
    /// Rows of the status line; 0 when it has no content.
    package var statusRows = 0
    package init() {}
  }

  /// Screens of this width have room for the details beside the conversation.
  package static let detailsWidth = 116

  package var tabBar: Rect?
  /// Beside the conversation, or above it where there is no room for both.
  package var details: Rect?
  package var sidebar: Rect?
  /// The accounts, below the list of conversations.
  package var accounts: Rect?
  package var header: Rect?
  package var timeline: Rect?
  /// The line of a contact request, below the messages of its conversation.
  package var request: Rect?
  package var status: Rect?
  package var input: Rect?
  package var hintBar: Rect?
  /// The frames of the other conversation of a split.
  package var other: Half?
  /// The line between the two.
  package var divider: Rect?
  /// The whole screen, when it is too small for anything else.
  package var tooSmall: Rect?
  /// Indicates whether list and conversation are separate pages.
  package var isPaged = false
  /// Indicates whether names have rows of their own.
  package var isNarrow = false

  package init(size: Size, preferences: Preferences = Preferences()) {
    guard !Self.isTooSmall(size) else {
      tooSmall = Rect(row: 0, column: 0, rows: size.rows, columns: size.columns)
      return
    }
    isNarrow = size.columns < Self.narrowWidth
    isPaged = (isNarrow || preferences.isLinear) && !preferences.isPlain
    var top = 0
    var bottom = size.rows
    if size.rows >= 10 {
      tabBar = Rect(row: 0, column: 0, rows: 1, columns: size.columns)
      top = 1
    }
    if size.rows >= 20, !preferences.isPlain {
      bottom -= 1
      hintBar = Rect(row: bottom, column: 0, rows: 1, columns: size.columns)
    }
    // On low screens the status line takes a row only when it has content.
    let statusRows = size.rows >= 16 ? max(1, preferences.statusRows) : preferences.statusRows
    if isPaged, preferences.page == .list {
      if preferences.statusRows > 0 {
        bottom -= preferences.statusRows
        status = Rect(row: bottom, column: 0, rows: preferences.statusRows, columns: size.columns)
      }
      layOutSidebar(rows: top..<bottom, columns: size.columns, preferences)
      return
    }
    var left = 0
    if !isPaged, !preferences.isPlain, preferences.showsSidebar ?? preferences.showsSidebarByDefault
    {
      left =
        preferences.sidebarColumns.map { Self.sidebarColumns($0, on: size) }
        ?? (size.columns >= 100 ? 28 : 22)
      layOutSidebar(rows: top..<bottom, columns: left, preferences)
    }
    var columns = size.columns - left
    // Beside a split there is room for details only if the user asks for them.
    let hasRoom =
      size.columns >= Self.detailsWidth && preferences.split == nil && !preferences.isLinear
    let showsDetails =
      preferences.hasDetails && !preferences.isPlain
      && (preferences.showsDetails ?? (hasRoom && preferences.showsDetailsByDefault))
    if showsDetails, size.columns >= Self.detailsWidth, !preferences.isLinear {
      columns -= 22
      details = Rect(row: top, column: left + columns, rows: bottom - top, columns: 22)
    }
    let headerRows = size.rows >= 20 && !preferences.isPlain ? 2 : 1
    if preferences.split != nil, Self.canSplit(size), !preferences.isPlain, !preferences.isLinear {
      let content = Rect(row: top, column: left, rows: bottom - top, columns: columns)
      layOutHalves(
        in: content, preferences: preferences, headerRows: headerRows, statusRows: statusRows,
        size: size)
      return
    }
    header = Rect(row: top, column: left, rows: headerRows, columns: columns)
    top += headerRows
    // The last message always keeps a row.
    let inputRows = max(1, min(preferences.inputRows, 6, size.rows / 3))
    bottom -= inputRows
    input = Rect(row: bottom, column: left, rows: inputRows, columns: columns)
    let room = max(0, min(statusRows, bottom - top - 1))
    if room > 0 {
      bottom -= room
      status = Rect(row: bottom, column: left, rows: room, columns: columns)
    }
    timeline = Rect(row: top, column: left, rows: bottom - top, columns: columns)
    if showsDetails, details == nil {
      let covered = isPaged ? columns : min(26, columns)
      details = Rect(
        row: top, column: left + columns - covered, rows: bottom - top, columns: covered)
    }
  }

  /// Takes the last row of the timeline for a contact request, if at least two rows are left.
  mutating func layOutRequest() {
    guard let all = timeline, all.size.rows > 2 else { return }
    let columns = all.size.columns
    timeline?.size = Size(rows: all.size.rows - 1, columns: columns)
    request = Rect(
      row: all.origin.row + all.size.rows - 1, column: all.origin.column, rows: 1, columns: columns)
  }

  /// The thresholds that `size` reaches. The user's choices of what to show or hide hold while they
  /// stay the same.
  static func sizeClass(_ size: Size) -> [Bool] {
    [size.columns >= detailsWidth, size.columns >= 100, size.columns >= 60, size.rows >= 20]
  }

  /// Ends the timelines above `row`, if they begin above it.
  package mutating func endMessages(above row: Int) {
    func cut(_ rect: inout Rect?) {
      guard let whole = rect, whole.origin.row < row else { return }
      let rows = min(whole.size.rows, row - whole.origin.row)
      rect?.size = Size(rows: rows, columns: whole.size.columns)
    }
    cut(&timeline)
    var beside = other?.timeline
    cut(&beside)
    if let beside { other?.timeline = beside }
  }

  // The conversations keep most of the rows: with many accounts, the list of accounts is cut.
  private mutating func layOutSidebar(rows: Range<Int>, columns: Int, _ preferences: Preferences) {
    let room = min(rows.count - 6, rows.count / 3)
    let own = room >= 2 ? min(preferences.accountRows, room) : 0
    sidebar = Rect(row: rows.lowerBound, column: 0, rows: rows.count - own, columns: columns)
    if own > 0 {
      accounts = Rect(row: rows.upperBound - own, column: 0, rows: own, columns: columns)
    }
  }

  /// The width of a sidebar for which the user chose `wanted` columns: the conversation keeps its
  /// share.
  package static func sidebarColumns(_ wanted: Int, on size: Size) -> Int {
    max(12, min(wanted, size.columns - 36, size.columns / 2))
  }
}
