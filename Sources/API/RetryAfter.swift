import FoundationEssentials
import Glibc
import HTTP

extension HTTPHeaders {
  /// For how many seconds the server wants to be left alone (RFC 9110 §10.2.3): told as a number, or as a date by its own
  /// clock. At most a day; `nil`: it does not say, or the time is over.
  func retryAfter(now: Date) -> Double? {
    guard let text = self["Retry-After"]?.trimmingSpaces, !text.isEmpty else { return nil }
    let seconds: Double
    if text.allSatisfy({ ("0"..."9").contains($0) }) {
      seconds = Double(text) ?? 86_400
    } else if let date = Self.date(text) {
      // Measured by the clock that wrote it, where it shows that one: this machine's may be wrong.
      let start = self["Date"].flatMap { Self.date($0) } ?? now
      seconds = date.timeIntervalSince(start)
    } else {
      return nil
    }
    return seconds > 0 ? min(seconds, 86_400) : nil
  }

  /// The form that everybody sends (RFC 9110 §5.6.7), as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ text: String) -> Date? {
    let words = text.split(whereSeparator: { ", :".contains($0) })
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard words.count == 8, words[7] == "GMT", let month = months.firstIndex(of: String(words[2])),
      let day = Int32(words[1]), let year = Int32(words[3]), (1970...9999).contains(year),
      let hour = Int32(words[4]), let minute = Int32(words[5]), let second = Int32(words[6]),
      (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    return Date(timeIntervalSince1970: Double(timegm(&parts)))
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
