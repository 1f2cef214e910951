import XML
import XMPP

/// The texts of what decoders make of stanzas, looked at where a test asks for it.
enum KeptTexts {
  /// The bytes of what came; `nil`: nothing is looked at.
  @TaskLocal static var limit: Int?
  /// As UAX #15 §13 has it.
  private static let longestRun = 30

  /// Looks through everything that `value` holds.
  static func check(_ value: Any) throws {
    guard let limit else { return }
    var total = 0
    try look(value, &total)
    // A text may be kept in a few forms, and what bounds it adds to it.
    try require(
      total <= 8 * limit + 4096, "\(total) bytes are kept of \(limit): \(type(of: value))")
  }

  private static func look(_ value: Any, _ total: inout Int) throws {
    switch value {
    case let text as String:
      total += text.utf8.count
      try require(isBounded(text), "marks without end are kept")
    case let element as Element:
      try look(element, &total)
    case is [UInt8], is Int, is Bool: return
    default:
      for child in Mirror(reflecting: value).children { try look(child.value, &total) }
    }
  }

  private static func look(_ element: Element, _ total: inout Int) throws {
    for (name, text) in element.attributes {
      try look(name, &total)
      try look(text, &total)
    }
    try look(element.text, &total)
    for inner in element.elements { try look(inner, &total) }
  }

  /// Indicates whether the runs of marks, joiners and vowels of Hangul are no longer than allowed.
  private static func isBounded(_ text: String) -> Bool {
    guard text.utf8.count > longestRun * 2 else { return true }
    var run = 0
    for scalar in text.unicodeScalars {
      let joins =
        switch scalar.value {
        case 0x200D, 0x1160..<0x1200: true
        case 0..<0x300: false
        default:
          switch scalar.properties.generalCategory {
          case .nonspacingMark, .spacingMark, .enclosingMark: true
          default: false
          }
        }
      run = joins ? run + 1 : 0
      if run > longestRun { return false }
    }
    return true
  }
}
