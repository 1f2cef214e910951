import Testing

@testable import Text

@Suite struct QRCodeTests {
  private static func picture(_ code: QRCode) -> String {
    (0..<code.size).map { row in
      (0..<code.size).map { code.isDark(row: row, column: $0) ? "#" : "." }.joined()
    }.joined(separator: "\n")
  }

  @Test(arguments: [
    (0, 21), (17, 21), (18, 25), (32, 25), (53, 29), (78, 33), (106, 37), (134, 41), (154, 45),
    (192, 49), (230, 53),
  ])
  func `a code grows with its text`(count: Int, size: Int) {
    let code = QRCode(String(repeating: "a", count: count))
    #expect(code?.size == size)
  }

  @Test func `what does not fit has no code`() {
    #expect(QRCode(String(repeating: "a", count: 231)) == nil)
    #expect(QRCode(String(repeating: "ä", count: 116)) == nil)
  }

  @Test func `half blocks make two rows a line, with a quiet zone on each side`() throws {
    let lines = try #require(QRCode("https://a.example/")).lines
    #expect(lines.count == 15)
    #expect(lines.allSatisfy { $0.count == 29 })
    #expect(lines[0] == String(repeating: "█", count: 29))
    #expect(lines[1].hasPrefix("██ ▄▄▄▄▄ █"))
    #expect(lines.last == String(repeating: "▀", count: 29))
  }
}
