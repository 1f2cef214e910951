import ChatsFixtures
import NatterCore
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

/// A location in the list of messages, in three sizes.
@Suite struct LocationSnapshotTests {
  private func picture(_ columns: Int, rows: Int, glyphs: Glyphs = .ascii) async -> [String] {
    let surface = await TimelinePaneTests().picture(
      [message(1, "geo:48.8566,2.3522;u=30\nCafé at \u{202E}the corner")], rows: rows,
      columns: columns, narrow: columns < 40, glyphs: glyphs)
    return (0..<rows).map { surface.text(row: $0) }.filter { !$0.allSatisfy(\.isWhitespace) }
  }

  @Test func `a wide screen has it in a row`() async {
    let rows = await picture(100, rows: 6)
    #expect(rows.last?.contains("+ 48.85660, 2.35220 +- 30 m  Café at") == true, "\(rows)")
    #expect(!rows.joined().unicodeScalars.contains("\u{202E}"))
    let unicode = await picture(100, rows: 6, glyphs: .unicode)
    #expect(unicode.last?.contains("⌖ 48.85660, 2.35220 ± 30 m  Café at") == true, "\(unicode)")
  }

  @Test(arguments: [60, 30]) func `a narrow one wraps it, and loses nothing`(columns: Int) async {
    let rows = await picture(columns, rows: 9)
    let text = rows.joined(separator: " ")
    for part in ["48.85660,", "2.35220", "30", "Café", "corner"] {
      #expect(text.contains(part), "\(part) in \(rows)")
    }
  }
}
