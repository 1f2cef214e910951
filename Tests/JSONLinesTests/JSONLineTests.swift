import Foundation
import Testing

@testable import JSONLines

/// Objects of the output for programs.
@Suite struct JSONLineTests {
  @Test func `members keep their order, and unknown ones are left out`() {
    var line = JSONLine()
    line.add("b", "text")
    line.add("a", 3)
    line.add("none", nil as String?)
    line.add("no_number", nil as Int?)
    line.add("no_time", nil as Date?)
    line.add("yes", true)
    line.add("list", ["x", "y"])
    line.add("empty", [String]())
    line.add("inner") { $0.add("c", "d") }
    line.add("whole", JSONLine { $0.add("f", true) })
    line.add("objects", [JSONLine { $0.add("e", 1) }, JSONLine()])
    #expect(
      line.text
        == #"{"b":"text","a":3,"yes":true,"list":["x","y"],"empty":[],"inner":{"c":"d"},"#
        + #""whole":{"f":true},"#
        + #""objects":[{"e":1},{}]}"#)
  }

  @Test(arguments: [
    "plain", "\"quoted\" \\ slash / ", "line\nline\r\ttab", "\u{0}\u{7}\u{1b}[2J\u{7f}",
    "\u{9b}31m", "\u{202e}abc\u{2066}\u{200f}", "\u{2028}\u{2029}", "é 日本 👩‍👩‍👧 \u{fe0f}", "",
  ])
  func `a text comes back as it was, and its line is safe for a terminal`(text: String) throws {
    var line = JSONLine()
    line.add("text", text)
    let data = Data(line.text.utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
    #expect(object["text"].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    for scalar in line.text.unicodeScalars {
      #expect(scalar.properties.generalCategory != .control)
      #expect(![0x202E, 0x2066, 0x200F, 0x2028, 0x2029].contains(scalar.value))
    }
  }

  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00.000000Z"), (-0.25, "1969-12-31T23:59:59.750000Z"),
    (1_795_860_123.000_456, "2026-11-28T10:02:03.000456Z"),
    (1_795_860_123.999_999_9, "2026-11-28T10:02:04.000000Z"),
  ])
  func `times are in UTC with microseconds`(seconds: Double, expected: String) {
    #expect(JSONLine.time(Date(timeIntervalSince1970: seconds)) == expected)
  }
}
