/// How wide a terminal draws what terminals disagree about (interface.md, "Widths"), and first of
/// all whether it is in UTF-8: asked once.
package struct WidthProbe: Sendable {
  /// What is asked about.
  package enum Sample: String, Sendable, CaseIterable {
    /// A letter of one column, also where those of ambiguous width take two. A terminal that is not in UTF-8 draws each of its
    /// bytes, which are C3 AB: neither steers anything there, as 80 to 9F of the others would (C1).
    case letter = "\u{EB}"
    /// A line: two columns where signs of ambiguous width are wide.
    case ambiguous = "\u{2500}"
    /// A heart that is to be drawn as a picture.
    case variation = "\u{2764}\u{FE0F}"
    /// A thumb of one skin tone.
    case tone = "\u{1F44D}\u{1F3FD}"
    /// A family: one picture of three.
    case joined = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
  }

  /// The row that the samples are drawn in, from 0. In the first, an answer would look like a key (F3 with Shift).
  package static let row = 1

  private var widths: [Sample: Int] = [:]
  private var waiting = Sample.allCases[...]

  package init() {}

  /// What may be written only where the first answer has told that the terminal is in UTF-8.
  package static let disputed = Sample.allCases.dropFirst()
  /// What is asked about at a time.
  package static let rounds = [Sample.allCases.prefix(1), disputed]

  /// Asks whether the terminal is in UTF-8. The row is empty then.
  package static var firstQuestion: String {
    question(of: rounds[0]) + "\(begin)\u{1B}[K\u{1B}8"
  }

  /// Draws each disputed sample at the beginning of the row and asks where the cursor is then. The row has to be drawn anew.
  package static var question: String {
    question(of: disputed) + "\u{1B}8"
  }

  private static func question(of samples: ArraySlice<Sample>) -> String {
    "\u{1B}7" + samples.map { "\(begin)\($0.rawValue)\u{1B}[6n" }.joined()
  }

  /// Brings the cursor to the beginning of the row.
  private static var begin: String { "\u{1B}[\(row + 1);1H" }

  /// Takes an answer; they come in the order of the samples.
  /// - Returns: whether it was the last one of a round.
  package mutating func take(_ cursor: Point) -> Bool {
    guard cursor.row == Self.row, let sample = waiting.popFirst() else { return false }
    widths[sample] = cursor.column
    if isUTF8 == false { waiting = [] }
    return sample == .letter || waiting.isEmpty
  }

  /// Whether the terminal is in UTF-8; `nil`: nothing was answered.
  package var isUTF8: Bool? { widths[.letter].map { $0 == 1 } }

  /// Whether the terminal draws emoji of several characters as one sign.
  package var drawsWhole: Bool { [.variation, .tone, .joined].allSatisfy { widths[$0] == 2 } }

  /// The columns of a sample; `nil`: nothing was answered.
  package subscript(_ sample: Sample) -> Int? { widths[sample] }
}
