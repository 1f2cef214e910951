import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The window with the keys that can follow, where there are many of them.
@Suite struct WhichKeyTests {
  @Test func `what can follow has pages where the screen has no room for all of it`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    harness.press(.control("x"))
    harness.timers.fire()
    let first = harness.rows
    #expect(first.contains { $0.contains("^X   1/") && $0.contains("PgDn") })
    #expect(first.allSatisfy { $0.columns <= 40 })
    func keys() -> [Substring] {
      harness.rows.compactMap { $0.dropFirst().split(separator: " ").first }
    }
    var seen = Set(keys())
    harness.press(Key(.pageDown))
    #expect(harness.rows.contains { $0.contains("^X   2/") })
    seen.formUnion(keys())
    harness.press(Key(.pageDown))
    #expect(harness.rows.contains { $0.contains("^X   3/") })
    seen.formUnion(keys())
    for key in ["?", "x", "Tab", "n", "a", "z", "s", "o", "i", "1..0"] {
      #expect(seen.contains(key[...]), "\(key)")
    }
    harness.press(Key(.pageUp), Key(.pageUp))
    #expect(harness.rows == first)
    // The second key still does what it says.
    harness.press(.character("?"))
    #expect(harness.done == ["help"])
  }

  @Test(arguments: [(120, 40), (100, 30), (80, 24), (60, 24), (40, 24), (30, 8)])
  func `what can follow is all to be seen`(columns: Int, rows: Int) {
    let pane = WhichKeyPane(glyphs: .ascii)
    let size = Size(rows: rows, columns: columns)
    for count in [1, 2, 15, 16, 17, 18, 33, 60] {
      let entries = (0..<count).map {
        HintItem(keys: "k\($0)", label: "does thing number \($0), which takes some words to say")
      }
      pane.show(title: "^X", entries)
      var seen: Set<Int> = []
      for _ in 0..<60 {
        let frame = pane.frame(in: size)
        #expect(frame.origin.row >= 0 && frame.origin.row + frame.size.rows <= rows)
        #expect(frame.origin.column + frame.size.columns <= columns)
        var surface = Surface(size: frame.size)
        pane.draw(into: &surface)
        let words = surface.description.split { " |\n".contains($0) }
        for number in 0..<count where words.contains("k\(number)") { seen.insert(number) }
        if !pane.turn(by: 1) { break }
      }
      #expect(seen.count == count, "\(count) at \(columns)x\(rows)")
    }
  }
}
