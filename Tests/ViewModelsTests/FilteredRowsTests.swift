import Testing

@testable import ViewModels

@Suite struct FilteredRowsTests {
  private let rows = FilteredRows<String>()

  private func load(_ ids: [String]) { rows.load(ids) { ids[$0] } }
  private var shown: [String] {
    (0..<rows.shown.count).map { row in
      rows.select(row: row)
      return rows.selected ?? ""
    }
  }

  @Test func `the selection moves by rows and stops at the ends`() {
    load(["a", "b", "c"])
    #expect(rows.selected == "a" && rows.selectedIndex == 0)
    rows.moveSelection(1)
    rows.moveSelection(9)
    #expect(rows.selected == "c")
    rows.moveSelection(.min)
    #expect(rows.selected == "a")
    rows.moveSelection(.max)
    rows.moveSelection(-1)
    #expect(rows.selected == "b")
  }

  @Test func `typing narrows, taking back widens, and the end brings all back`() {
    load(["Natter dev", "swift", "Swift server", "Ünter"])
    rows.beginFilter()
    rows.typeFilter("SW")
    #expect(rows.shown == [1, 2])
    rows.typeFilter("ift ser")
    #expect(rows.shown == [2] && rows.selected == "Swift server")
    rows.typeFilter("x")
    #expect(rows.shown == [] && rows.selected == nil)
    rows.moveSelection(1)
    rows.shortenFilter()
    #expect(rows.shown == [2])
    #expect(rows.endFilter() && !rows.endFilter())
    #expect(rows.shown == [0, 1, 2, 3] && rows.selected == "Swift server")
    rows.setFilter("ünt")
    #expect(rows.shown == [3] && rows.filter == "ünt")
    rows.setFilter("nat\n")
    #expect(rows.shown == [0] && rows.filter == "nat")
  }

  @Test func `an empty filter is taken away by backspace`() {
    load(["a"])
    rows.beginFilter()
    rows.shortenFilter()
    #expect(rows.filter == nil)
  }

  @Test func `other rows leave the selection on its row`() {
    load(["a", "b", "c"])
    rows.select("b")
    load(["x", "a", "c", "b"])
    #expect(rows.selected == "b" && rows.selectedRow == 3)
    load(["x", "a"])
    #expect(rows.selected == "a")
    // It comes back: the user had not moved the selection.
    load(["a", "b", "x"])
    #expect(rows.selected == "b")
    load([])
    #expect(rows.selected == nil && rows.selectedIndex == nil)
  }

  @Test func `every change is reported, and typing separately`() {
    var changes = 0
    var typed = 0
    rows.onChange = { changes += 1 }
    rows.onFilter = { typed += 1 }
    load(["a", "b"])
    rows.moveSelection(1)
    rows.typeFilter("b")
    #expect(changes == 3 && typed == 1)
  }
}
