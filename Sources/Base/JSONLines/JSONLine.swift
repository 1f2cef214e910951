import FoundationEssentials

/// A JSON object on one line (RFC 8259), its members in the order in which they are added.
///
/// Control, direction and separator characters are written as escapes: the text is the same, and
/// is safe in a terminal.
package struct JSONLine: Sendable {
  /// The members, with commas between them.
  private var members = ""

  package init() {}

  package init(_ fill: (inout JSONLine) -> Void) { fill(&self) }

  /// The object, without a line end.
  package var text: String { "{" + members + "}" }

  /// Adds a text; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    Self.write(value, to: &members)
  }

  /// Adds a number; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    members += String(value)
  }

  package mutating func add(_ name: String, _ value: Bool) {
    begin(name)
    members += value ? "true" : "false"
  }

  /// Adds a time in UTC, with microseconds; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: Date?) { add(name, value.map(Self.time)) }

  package mutating func add(_ name: String, _ value: [String]) {
    begin(name)
    members += "["
    for (index, text) in value.enumerated() {
      if index > 0 { members += "," }
      Self.write(text, to: &members)
    }
    members += "]"
  }

  package mutating func add(_ name: String, _ value: [JSONLine]) {
    begin(name)
    members += "[" + value.map(\.text).joined(separator: ",") + "]"
  }

  /// Adds an object that is complete.
  package mutating func add(_ name: String, _ value: JSONLine) {
    begin(name)
    members += value.text
  }

  /// Adds an object with the members that `fill` adds.
  package mutating func add(_ name: String, _ fill: (inout JSONLine) -> Void) {
    begin(name)
    members += JSONLine(fill).text
  }

  private mutating func begin(_ name: String) {
    if !members.isEmpty { members += "," }
    Self.write(name, to: &members)
    members += ":"
  }

  /// Adds a value.
  package mutating func add(_ name: String, _ value: JSONValue) {
    begin(name)
    members += value.text
  }

  /// Returns `2026-11-28T14:02:03.000456Z`. A time outside the years 1 to 9999 is written as the
  /// nearest one inside.
  package static func time(_ date: Date) -> String {
    let seconds = max(-62_000_000_000, min(253_000_000_000, date.timeIntervalSince1970))
    let microseconds = Int64((seconds * 1_000_000).rounded())
    let (day, time) = quotient(microseconds, by: 86_400_000_000)
    let (second, fraction) = quotient(time, by: 1_000_000)
    let date = civil(day)
    func padded(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
      + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
      + ".\(padded(fraction, 6))Z"
  }

  /// Returns quotient and remainder, of which the remainder is never negative.
  private static func quotient(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Returns the date of a day in the Gregorian calendar.
  /// - Parameter day: the number of days since 1970-01-01.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Years begin in March here, so that the leap day is the last of a year. An era has 400 years.
    let (era, dayOfEra) = quotient(day + 719_468, by: 146_097)
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      era * 400 + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// Appends a text in quotes.
  static func write(_ text: String, to result: inout String) {
    result += "\""
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) {
      result += text
    } else {
      for scalar in text.unicodeScalars { write(scalar, to: &result) }
    }
    result += "\""
  }

  private static func write(_ scalar: Unicode.Scalar, to result: inout String) {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    default:
      guard isEscaped(scalar) else {
        result.unicodeScalars.append(scalar)
        return
      }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }

  /// Returns whether a terminal could take it for a command, or show text in another order.
  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      true
    default: false
    }
  }
}
