import FoundationEssentials
import HTTP

extension HTTPHeaders {
  /// Returns the delay before the next request that the server asks for, in seconds
  /// (RFC 9110 §10.2.3): sent as a number, or as a date of its own clock. At most a day; `nil` if
  /// absent or in the past.
  func retryAfter(now: Date) -> Double? {
    guard let text = self["Retry-After"]?.trimmingSpaces, !text.isEmpty else { return nil }
    let seconds: Double
    if text.allSatisfy({ ("0"..."9").contains($0) }) {
      seconds = Double(text) ?? 86_400
    } else if let date = HTTPDate.date(from: text) {
      // Relative to the server's clock, if it is in the reply: the local one may be wrong.
      let start = self["Date"].flatMap(HTTPDate.date) ?? now
      seconds = date.timeIntervalSince(start)
    } else {
      return nil
    }
    return seconds > 0 ? min(seconds, 86_400) : nil
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
