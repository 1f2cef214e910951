import Terminal
import Testing

@testable import natter

@Suite struct ProgressLineTests {
  @Test(arguments: [
    ("rose.png", 40, "rose.png  [====      ] 42 %"),
    ("a very long name of a picture.png", 40, "a very long name of …  [====      ] 42 %"),
    // Characters two columns wide count as two.
    ("玫瑰花园里的一张照片.png", 30, "玫瑰花园里…  [====      ] 42 %"),
    ("rose.png", 19, "  [====      ] 42 %"), ("rose.png", 10, "  [====  …"), ("rose.png", 0, ""),
    ("a\nb\u{1B}[31m", 40, "a⏎b^[[31m  [====      ] 42 %"),
  ])
  func `a line is never wider than the terminal`(name: String, columns: Int, shown: String) {
    let line = ProgressLine.line(name, "[====      ] 42 %", columns: columns)
    #expect(line == shown)
    #expect(line.columns <= columns)
  }
}
