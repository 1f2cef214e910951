/// How wide a terminal draws what terminals disagree about (UX.md 4.1): asked once, and never waited for.
package struct WidthProbe: Sendable {
  /// What is asked about.
  package enum Sample: String, Sendable, CaseIterable {
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

  /// Draws each sample at the beginning of the row and asks where the cursor is then. The row has to be drawn anew.
  package static var question: String {
    "\u{1B}7"
      + Sample.allCases.map { "\u{1B}[\(row + 1);1H\($0.rawValue)\u{1B}[6n" }.joined() + "\u{1B}8"
  }

  /// Takes an answer; they come in the order of the samples.
  /// - Returns: whether it was the last one.
  package mutating func take(_ cursor: Point) -> Bool {
    guard cursor.row == Self.row, let sample = waiting.popFirst() else { return false }
    widths[sample] = cursor.column
    return waiting.isEmpty
  }

  /// Whether the terminal draws emoji of several characters as one sign.
  package var drawsWhole: Bool { [.variation, .tone, .joined].allSatisfy { widths[$0] == 2 } }

  /// The columns of a sample; `nil`: nothing was answered.
  package subscript(_ sample: Sample) -> Int? { widths[sample] }
}
