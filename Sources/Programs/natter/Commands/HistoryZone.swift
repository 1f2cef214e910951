import FoundationEssentials
import Glibc
import System

/// The time zone of local times in histories (`--tz`): a name of the zone database, or an offset.
nonisolated enum HistoryZone: Equatable, Sendable {
  case rules(ZoneRules)
  /// Seconds east of UTC.
  case fixed(Int)

  /// Reads `Europe/Paris`, `UTC`, `+02:00` or `-0530`; `nil` for a zone that is not known here.
  init?(_ text: String) {
    if text == "UTC" || text == "Z" {
      self = .fixed(0)
    } else if let offset = Self.offset(text) {
      self = .fixed(offset)
    } else if let rules = Self.rules(of: text) {
      self = .rules(rules)
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

  /// Returns the rules of a zone of the zone database; `nil` if there is none of that name.
  private static func rules(of name: String) -> ZoneRules? {
    let isPlain = name.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "/", "_", "-", "+": true
      default: false
      }
    }
    guard isPlain, !name.hasPrefix("/"), !name.isEmpty else { return nil }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    let file = try? PrivateFile.read(folder + "/" + name, limit: ZoneRules.byteLimit)
    return file.flatMap { ZoneRules(Array($0)) }
  }

  /// Returns the offset of local times from UTC, in seconds, at a moment given as local seconds
  /// since 1970.
  var offsets: @Sendable (Int) -> Int {
    switch self {
    case .fixed(let offset): { _ in offset }
    case .rules(let rules): { rules.offset(ofLocal: $0) }
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
