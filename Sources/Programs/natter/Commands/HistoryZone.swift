import Glibc

/// The time zone of local times in histories (`--tz`): a name of the zone database, or an offset.
nonisolated enum HistoryZone: Equatable, Sendable {
  case named(String)
  /// Seconds east of UTC.
  case fixed(Int)

  /// Reads `Europe/Paris`, `UTC`, `+02:00` or `-0530`; `nil` for a zone that is not known here.
  init?(_ text: String) {
    if text == "UTC" || text == "Z" {
      self = .fixed(0)
    } else if let offset = Self.offset(text) {
      self = .fixed(offset)
    } else if Self.isKnown(text) {
      self = .named(text)
    } else {
      return nil
    }
  }

  private static func offset(_ text: String) -> Int? {
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let digits = text.utf8.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      text.utf8.count == 5 || text.utf8.count == 6 && text.utf8.dropFirst(3).first == 0x3A
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    let (hours, minutes) = (number / 100, number % 100)
    guard hours < 24, minutes < 60 else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func isKnown(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "/", "_", "-", "+": true
      default: false
      }
    }
    guard isPlain, !name.hasPrefix("/"), !name.isEmpty else { return false }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    var information = stat()
    return stat(folder + "/" + name, &information) == 0
      && information.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the offset of local times from UTC, in seconds, at a moment given as local seconds
  /// since 1970. A named zone becomes that of this process.
  func offsets() -> @Sendable (Int) -> Int {
    switch self {
    case .fixed(let offset): return { _ in offset }
    case .named(let name):
      setenv("TZ", name, 1)
      tzset()
      return Self.here
    }
  }

  /// The same in the zone of this process.
  static let here: @Sendable (Int) -> Int = { local in
    var seconds = time_t(local)
    var fields = tm()
    guard gmtime_r(&seconds, &fields) != nil else { return 0 }
    fields.tm_isdst = -1
    let moment = mktime(&fields)
    // A year that the C library cannot express.
    return moment == -1 && local != -1 ? 0 : local - Int(moment)
  }
}
