import Testing

@testable import BoundedText

@Suite struct PercentDecodingTests {
  private static let valid: [(String, String)] = [
    ("", ""), ("plain é", "plain é"), ("%41%62", "Ab"), ("%c3%A9", "é"), ("a%20b%25", "a b%"),
    ("%2541", "%41"),
  ]

  @Test(arguments: valid) func `encoded bytes are decoded`(text: String, decoded: String) {
    #expect(PercentDecoding.bytes(of: text) == Array(decoded.utf8))
    #expect(PercentDecoding.validBytes(of: text.dropFirst(0)) == Array(decoded.utf8))
  }

  @Test(arguments: ["%", "a%", "%4", "%+f", "%-0", "% 1", "%4+", "%g0", "%%41", "%1\u{FF11}"])
  func `what is no encoded byte stays`(text: String) {
    let rest = text.hasPrefix("%%") ? "%A" : text
    #expect(PercentDecoding.bytes(of: text) == Array(rest.utf8))
    #expect(PercentDecoding.validBytes(of: text) == nil)
  }
}
