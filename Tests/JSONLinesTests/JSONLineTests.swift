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

  @Test func `objects without members, and behind them, have their commas`() {
    var line = JSONLine()
    line.add("empty") { _ in }
    line.add("braces", "{")
    line.add("outer") { outer in
      outer.add("inner") { $0.add("list", [String]()) }
      outer.add("value", JSONValue.object([:]))
      outer.add("last", JSONLine())
    }
    line.add("end", true)
    #expect(
      line.text
        == #"{"empty":{},"braces":"{","outer":{"inner":{"list":[]},"value":{},"last":{}},"#
        + #""end":true}"#
    )
    #expect(JSONLine().text == "{}")
  }

  @Test func `each character is written as itself, unless it has to be an escape`() {
    let short: [UInt32: String] = [
      0x22: #"\""#, 0x5C: #"\\"#, 0x09: #"\t"#, 0x0A: #"\n"#, 0x0D: #"\r"#,
    ]
    func isEscaped(_ value: UInt32) -> Bool {
      switch value {
      case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
        true
      default: false
      }
    }
    // All characters that an escape may have, and some of four bytes.
    for first in Array(stride(from: UInt32(0), to: 0x1_0000, by: 0x100)) + [0x1_F600, 0xE_0000] {
      let scalars = (first..<first + 0x100).compactMap(Unicode.Scalar.init)
      var (text, expected) = (String.UnicodeScalarView(), String.UnicodeScalarView())
      for scalar in scalars {
        text.append(scalar)
        let digits = String(scalar.value, radix: 16)
        let escape =
          short[scalar.value]
          ?? (isEscaped(scalar.value)
            ? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits : nil)
        if let escape {
          expected.append(contentsOf: escape.unicodeScalars)
        } else {
          expected.append(scalar)
        }
      }
      let written = JSONLine { $0.add("a", String(text)) }.text
      #expect(Array(written.utf8) == Array("{\"a\":\"\(String(expected))\"}".utf8))
    }
  }

  @Test(arguments: [
    ("\"", #"\""#), ("\\", #"\\"#), ("\u{1f}", #"\u001f"#), ("\u{7f}", #"\u007f"#), (" ", " "),
    ("\u{85}", #"\u0085"#), ("\u{61c}", #"\u061c"#), ("\u{2028}", #"\u2028"#), ("é", "é"),
    ("“", "“"), ("👍", "👍"), ("\u{ff5e}", "\u{ff5e}"), ("!", "!"), ("~", "~"), ("#[]", "#[]"),
  ])
  func `an escape is written wherever its character is`(character: String, written: String) {
    for count in 0...20 {
      let before = String(repeating: "x", count: count)
      let after = String(repeating: "y", count: 20 - count)
      let line = JSONLine { $0.add("a", before + character + character + after) }
      let expected = "{\"a\":\"\(before)\(written)\(written)\(after)\"}"
      #expect(line.text.utf8.elementsEqual(expected.utf8))
    }
  }

  @Test(arguments: [
    String(repeating: "x", count: 100_000), String(repeating: "\"", count: 10_000),
    String(repeating: "é\u{2028}👍🏽", count: 5000), "\u{feff}", "x\u{85}", "\u{85}x",
  ])
  func `a text of any length is read as it was written`(text: String) throws {
    let line = JSONLine { $0.add(text, [text, ""]) }.text
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String]])
    let (name, values) = try #require(object.first)
    #expect(Array(name.utf8) == Array(text.utf8))
    #expect(values.map { Array($0.utf8) } == [Array(text.utf8), []])
    #expect(
      JSONValue.text(text).text.utf8.elementsEqual(
        JSONValue.array([.text(text)]).text.utf8.dropFirst().dropLast()))
  }

  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00.000000Z"), (-0.25, "1969-12-31T23:59:59.750000Z"),
    (1_795_860_123.000_456, "2026-11-28T10:02:03.000456Z"),
    (1_795_860_123.999_999_9, "2026-11-28T10:02:04.000000Z"),
    (951_782_399.0, "2000-02-28T23:59:59.000000Z"), (951_782_400.0, "2000-02-29T00:00:00.000000Z"),
    (-1e12, "0005-04-19T09:46:40.000000Z"), (1e12, "9987-04-02T17:46:40.000000Z"),
  ])
  func `times are in UTC with microseconds`(seconds: Double, expected: String) {
    #expect(JSONLine.time(Date(timeIntervalSince1970: seconds)) == expected)
  }
}
