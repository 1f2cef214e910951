import Foundation
import Testing

@testable import XMPP

@Suite struct NormalFormTests {
  @Test(arguments: [
    ("ﬁ", "fi"), ("²", "2"), ("Ａ", "A"), ("ﾊﾞ", "バ"), ("ẛ̣", "ṩ"), ("①", "1"),
    ("ﷺ", "صلى الله عليه وسلم"),
    ("e\u{301}", "é"), ("\u{AC00}", "가"), ("ordinary", "ordinary"), ("", ""),
    ("\u{2F84A}", "\u{55C2}"),
  ])
  func `what is only set in another way is the same`(text: String, expected: String) {
    let scalars = NormalForm.compatibility(text.unicodeScalars).unicodeScalars
    #expect(Array(scalars) == Array(expected.precomposedStringWithCanonicalMapping.unicodeScalars))
  }

  /// The characters that Unicode had when the table was made; of the long runs of like ones (Han,
  /// Hangul) only the start.
  @Test func `every character becomes what Foundation makes of it`() {
    let runs: [ClosedRange<UInt32>] = [
      0x80...0x3410, 0x9FF0...0xAC80, 0xF900...0x1FFFF, 0x2F800...0x2FA20,
    ]
    var differing: [UInt32] = []
    for scalar in runs.joined().compactMap(Unicode.Scalar.init) {
      guard let age = scalar.properties.age, age <= (14, 0) else { continue }
      let text = String(scalar)
      if !NormalForm.compatibility(text.unicodeScalars).unicodeScalars.elementsEqual(
        text.precomposedStringWithCompatibilityMapping.unicodeScalars)
      {
        differing.append(scalar.value)
      }
    }
    #expect(differing == [])
  }

  @Test func `the canonical form keeps what only looks alike`() {
    let text = "ﬁ e\u{301} Å ２"
    #expect(
      Array(NormalForm.canonical(text.unicodeScalars).unicodeScalars)
        == Array(text.precomposedStringWithCanonicalMapping.unicodeScalars))
  }
}
