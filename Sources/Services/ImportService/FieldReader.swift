/// The fields of a line that are read from its start.
struct FieldReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

  /// Passes over a text if it is next.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Reads a number of exactly so many digits.
  mutating func number(_ digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    var value = 0
    for byte in rest.prefix(digits) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    rest = rest.dropFirst(digits)
    return value
  }

  /// Reads a date and a time, of year, month, day, hour, minute and second.
  /// - Parameters:
  ///   - date: separates the parts of the date.
  ///   - middle: separates the date from the time.
  ///   - time: separates the parts of the time.
  mutating func localTime(_ date: String, _ middle: String, _ time: String) -> LocalTime? {
    guard let year = number(4), skip(date), let month = number(2), skip(date), let day = number(2),
      skip(middle), let hour = number(2), skip(time), let minute = number(2), skip(time),
      let second = number(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    return LocalTime(
      year: year, month: month, day: day, second: hour * 3600 + minute * 60 + second)
  }

  /// Reads an offset from UTC, in seconds: `Z`, `+0100` or `+01:00`.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(2) else { return nil }
    _ = skip(":")
    guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
    return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
