import FoundationEssentials
import HTTP

extension HTTPHeaders {
  /// For how many seconds the server wants to be left alone (RFC 9110 §10.2.3): told as a number, or as a date by its own
  /// clock. At most a day; `nil`: it does not say, or the time is over.
  func retryAfter(now: Date) -> Double? {
    guard let text = self["Retry-After"]?.trimmingSpaces, !text.isEmpty else { return nil }
    let seconds: Double
    if text.allSatisfy({ ("0"..."9").contains($0) }) {
      seconds = Double(text) ?? 86_400
    } else if let date = HTTPDate.date(from: text) {
      // Measured by the clock that wrote it, where it shows that one: this machine's may be wrong.
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
