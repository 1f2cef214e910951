import FoundationEssentials
import Text

/// A JSON object on one line (RFC 8259), its members in the order in which they are added.
///
/// Control, direction and separator characters are written as escapes: the text is the same, and
/// is safe in a terminal.
nonisolated struct JSONLine: Sendable {
  /// The members, with commas between them.
  private var members = ""

  init() {}

  init(_ fill: (inout JSONLine) -> Void) { fill(&self) }

  /// The object, without a line end.
  var text: String { "{" + members + "}" }

  /// Adds a text; `nil`: adds nothing.
  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    Self.write(value, to: &members)
  }

  /// Adds a number; `nil`: adds nothing.
  mutating func add(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    members += String(value)
  }

  mutating func add(_ name: String, _ value: Bool) {
    begin(name)
    members += value ? "true" : "false"
  }

  /// Adds a time in UTC, with microseconds; `nil`: adds nothing.
  mutating func add(_ name: String, _ value: Date?) { add(name, value.map(Self.time)) }

  mutating func add(_ name: String, _ value: [String]) {
    begin(name)
    members += "["
    for (index, text) in value.enumerated() {
      if index > 0 { members += "," }
      Self.write(text, to: &members)
    }
    members += "]"
  }

  mutating func add(_ name: String, _ value: [JSONLine]) {
    begin(name)
    members += "[" + value.map(\.text).joined(separator: ",") + "]"
  }

  /// Adds an object with the members that `fill` adds.
  mutating func add(_ name: String, _ fill: (inout JSONLine) -> Void) {
    begin(name)
    members += JSONLine(fill).text
  }

  private mutating func begin(_ name: String) {
    if !members.isEmpty { members += "," }
    Self.write(name, to: &members)
    members += ":"
  }

  /// Returns `2026-11-28T14:02:03.000456Z`.
  static func time(_ date: Date) -> String {
    let microseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
    var (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if fraction < 0 { (seconds, fraction) = (seconds - 1, fraction + 1_000_000) }
    let time = LocalTime.utc(Date(timeIntervalSince1970: Double(seconds)))
    func padded(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))T"
      + "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
      + ".\(padded(Int(fraction), 6))Z"
  }

  private static func write(_ text: String, to result: inout String) {
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
