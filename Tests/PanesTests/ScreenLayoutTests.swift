import Terminal
import Testing

@testable import Panes

@Suite struct ScreenLayoutTests {
  func layout(
    _ rows: Int, _ columns: Int, status: Int = 0, input: Int = 1,
    page: ScreenLayout.Page = .conversation, sidebar: Bool? = nil, plain: Bool = false
  ) -> ScreenLayout {
    var preferences = ScreenLayout.Preferences()
    preferences.statusRows = status
    preferences.inputRows = input
    preferences.page = page
    preferences.showsSidebar = sidebar
    preferences.isPlain = plain
    return ScreenLayout(size: Size(rows: rows, columns: columns), preferences: preferences)
  }

  @Test(
    arguments: [
      (200, 28), (120, 28), (116, 28), (115, 28), (100, 28), (99, 22), (80, 22), (60, 22),
      (59, nil),
      (40, nil), (30, nil),
    ] as [(Int, Int?)])
  func `the sidebar's columns by the screen's`(_ columns: Int, _ wanted: Int?) {
    let layout = layout(24, columns)
    #expect(layout.sidebar?.size.columns == wanted)
    #expect(layout.isPaged == (columns < 60))
    #expect(layout.timeline?.size.columns == columns - (wanted ?? 0))
  }

  @Test(arguments: [
    // rows, tab bar, header rows, status when silent, hint bar
    (40, true, 2, true, true), (20, true, 2, true, true), (19, true, 1, true, false),
    (16, true, 1, true, false), (15, true, 1, false, false), (10, true, 1, false, false),
    (9, false, 1, false, false), (8, false, 1, false, false),
  ])
  func `what goes as the screen gets lower`(
    _ rows: Int, _ tabBar: Bool, _ header: Int, _ status: Bool, _ hints: Bool
  ) {
    let layout = layout(rows, 80)
    #expect((layout.tabBar != nil) == tabBar)
    #expect(layout.header?.size.rows == header)
    #expect((layout.status != nil) == status)
    #expect((layout.hintBar != nil) == hints)
    #expect((layout.timeline?.size.rows ?? 0) > 0)
    #expect(self.layout(rows, 80, status: 1).status?.size.rows == 1)
  }

  @Test func `every cell of every size belongs to at most one pane, and the input is always there`()
  {
    for rows in 1...45 {
      for columns in [1, 20, 29, 30, 39, 40, 59, 60, 80, 99, 100, 116, 150] {
        for (status, input) in [(0, 1), (3, 40)] {
          for page in [ScreenLayout.Page.list, .conversation] {
            for plain in [false, true] {
              let layout = layout(
                rows, columns, status: status, input: input, page: page, plain: plain)
              let frames = [
                layout.tabBar, layout.sidebar, layout.header, layout.timeline, layout.status,
                layout.input, layout.hintBar, layout.tooSmall,
              ].compactMap { $0 }
              let area = frames.reduce(0) { $0 + $1.size.rows * $1.size.columns }
              #expect(area == rows * columns, "\(columns)x\(rows)")
              for (index, frame) in frames.enumerated() {
                #expect(frame.origin.row + frame.size.rows <= rows)
                #expect(frame.origin.column + frame.size.columns <= columns)
                for other in frames.dropFirst(index + 1) { #expect(!frame.overlaps(other)) }
              }
              let isSmall = rows < 8 || columns < 30
              #expect((layout.tooSmall != nil) == isSmall)
              if !isSmall, !(layout.isPaged && page == .list) {
                #expect(layout.input != nil)
                #expect((layout.timeline?.size.rows ?? 0) >= 1)
              }
            }
          }
        }
      }
    }
  }

  @Test(arguments: [(40, 20, 6), (24, 20, 6), (15, 20, 5), (9, 20, 3), (24, 3, 3)])
  func `the input grows to six rows, or a third of the screen`(
    _ rows: Int, _ wanted: Int, _ got: Int
  ) {
    #expect(layout(rows, 80, input: wanted).input?.size.rows == got)
  }

  @Test func `on a narrow screen the list is a page of its own`() {
    let list = layout(15, 40, page: .list)
    #expect(list.sidebar == Rect(row: 1, column: 0, rows: 14, columns: 40))
    #expect(list.timeline == nil)
    #expect(list.input == nil)
    #expect(layout(15, 40).sidebar == nil)
  }

  @Test func `the user's own choice holds`() {
    #expect(layout(24, 120, sidebar: false).sidebar == nil)
    #expect(layout(24, 80, plain: true).sidebar == nil)
    #expect(layout(24, 80, plain: true).hintBar == nil)
  }
}
