/// A range of hours of the day, which may extend past midnight: `22:00-07:00`.
package struct DayHours: Hashable, Sendable {
  /// Minutes after midnight; `to` is exclusive.
  private let from: Int
  private let to: Int

  /// `nil` for an invalid format, or an empty range.
  package init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
    (self.from, self.to) = (from, to)
  }

  private static func minute(_ text: Substring) -> Int? {
    let numbers = text.filter { $0 != " " }.split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers.allSatisfy({ (1...2).contains($0.utf8.count) }),
      numbers.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hour = Int(numbers[0]), let minute = Int(numbers[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// Returns whether the range contains this local time.
  package func contains(hour: Int, minute: Int) -> Bool {
    let time = hour * 60 + minute
    return from < to ? (from..<to).contains(time) : time >= from || time < to
  }

  /// The notation of the file: `07:00-19:00`.
  package var text: String { Self.text(from) + "-" + Self.text(to) }

  private static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return two(minute / 60) + ":" + two(minute % 60)
  }
}
