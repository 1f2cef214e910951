/// Queries the terminal once for the widths on which terminals disagree (interface.md, "Widths"),
/// and first of all for its use of UTF-8.
package struct WidthProbe: Sendable {
  /// The samples whose width is queried.
  package enum Sample: String, Sendable, CaseIterable {
    /// A letter of one column, even where ambiguous width is two. A terminal without UTF-8 draws
    /// each of its bytes, which are C3 AB: neither is a control function there, as 80 to 9F of the
    /// others would be (C1).
    case letter = "\u{EB}"
    /// A line: two columns where characters of ambiguous width are wide.
    case ambiguous = "\u{2500}"
    /// A heart with emoji presentation.
    case variation = "\u{2764}\u{FE0F}"
    /// A thumb with a skin tone.
    case tone = "\u{1F44D}\u{1F3FD}"
    /// A family: one glyph of three.
    case joined = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
  }

  /// The row in which the samples are drawn, from 0. In the first row, a report would look like a
  /// key (F3 with Shift).
  package static let row = 1

  private var widths: [Sample: Int] = [:]
  private var waiting = Sample.allCases[...]

  package init() {}

  /// The samples that may be written only after the first report has confirmed UTF-8.
  package static let disputed = Sample.allCases.dropFirst()
  /// The samples of each round of queries.
  package static let rounds = [Sample.allCases.prefix(1), disputed]

  /// The query for UTF-8. The row is empty afterwards.
  package static var firstQuestion: String {
    question(of: rounds[0]) + "\(begin)\u{1B}[K\u{1B}8"
  }

  /// Draws each disputed sample at the start of the row and queries the cursor after it. The row
  /// has to be redrawn.
  package static var question: String {
    question(of: disputed) + "\u{1B}8"
  }

  private static func question(of samples: ArraySlice<Sample>) -> String {
    "\u{1B}7" + samples.map { "\(begin)\($0.rawValue)\u{1B}[6n" }.joined()
  }

  /// Moves the cursor to the start of the row.
  private static var begin: String { "\u{1B}[\(row + 1);1H" }

  /// Processes a report; they arrive in the order of the samples.
  /// - Returns: whether it was the last of a round.
  package mutating func take(_ cursor: Point) -> Bool {
    guard cursor.row == Self.row, let sample = waiting.popFirst() else { return false }
    widths[sample] = cursor.column
    if isUTF8 == false { waiting = [] }
    return sample == .letter || waiting.isEmpty
  }

  /// Indicates whether the terminal uses UTF-8; `nil` without a report.
  package var isUTF8: Bool? { widths[.letter].map { $0 == 1 } }

  /// Indicates whether the terminal draws emoji of several characters as one glyph.
  package var drawsWhole: Bool { [.variation, .tone, .joined].allSatisfy { widths[$0] == 2 } }

  /// The columns of a sample; `nil` without a report.
  package subscript(_ sample: Sample) -> Int? { widths[sample] }
}
