import FoundationEssentials

/// A JSON object on one line (RFC 8259), its members in the order in which they are added.
///
/// Control, direction and separator characters are written as escapes: the text is the same, and
/// is safe in a terminal.
package struct JSONLine: Sendable {
  /// The bytes of most lines, for which memory is taken at once.
  private static let usualLength = 400

  /// The object in UTF-8, without its last brace.
  private var bytes: [UInt8]

  package init() {
    bytes = []
    bytes.reserveCapacity(Self.usualLength)
    bytes.append(UInt8(ascii: "{"))
  }

  package init(_ fill: (inout JSONLine) -> Void) {
    self.init()
    fill(&self)
  }

  /// The object, without a line end.
  package var text: String {
    String(unsafeUninitializedCapacity: bytes.count + 1) { text in
      let end = text.initialize(fromContentsOf: bytes)
      text.initializeElement(at: end, to: UInt8(ascii: "}"))
      return end + 1
    }
  }

  /// Adds a text; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    begin(name)
    bytes.append(quoted: value)
  }

  /// Adds a number; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: Int?) {
    guard let value else { return }
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  package mutating func add(_ name: String, _ value: Bool) {
    begin(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Adds a time in UTC, with microseconds; `nil`: adds nothing.
  package mutating func add(_ name: String, _ value: Date?) {
    guard let value else { return }
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    Self.write(value, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func add(_ name: String, _ value: [String]) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, text) in value.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(quoted: text)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package mutating func add(_ name: String, _ value: [JSONLine]) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, object) in value.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(object)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds an object that is complete.
  package mutating func add(_ name: String, _ value: JSONLine) {
    begin(name)
    append(value)
  }

  /// Adds an object with the members that `fill` adds.
  package mutating func add(_ name: String, _ fill: (inout JSONLine) -> Void) {
    begin(name)
    bytes.append(UInt8(ascii: "{"))
    fill(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Adds a value.
  package mutating func add(_ name: String, _ value: JSONValue) {
    begin(name)
    value.write(to: &bytes)
  }

  private mutating func begin(_ name: String) {
    // A brace begins this object, or one inside it: values end with other characters.
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(quoted: name)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ object: JSONLine) {
    bytes.append(contentsOf: object.bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns `2026-11-28T14:02:03.000456Z`. A time outside the years 1 to 9999 is written as the
  /// nearest one inside.
  package static func time(_ date: Date) -> String {
    var text: [UInt8] = []
    write(date, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func write(_ date: Date, to text: inout [UInt8]) {
    let seconds = max(-62_000_000_000, min(253_000_000_000, date.timeIntervalSince1970))
    let microseconds = Int64((seconds * 1_000_000).rounded())
    let (day, time) = quotient(microseconds, by: 86_400_000_000)
    let (second, fraction) = quotient(time, by: 1_000_000)
    let date = civil(day)
    func append(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
      text.append(number, width: width)
      text.append(UInt8(ascii: end))
    }
    append(date.year, 4, "-")
    append(date.month, 2, "-")
    append(date.day, 2, "T")
    append(second / 3600, 2, ":")
    append(second / 60 % 60, 2, ":")
    append(second % 60, 2, ".")
    append(fraction, 6, "Z")
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
}
