import FoundationEssentials

/// When sessions that ended before the archive was read began with what the server had kept: between two of them other clients may
/// have taken something.
struct OfflineDeliveryLog: Hashable {
  /// Sessions before this many are not told apart any more.
  private static let limit = 20

  /// When the first was sent that a session was handed over, as it is stored; of each session but the first.
  private(set) var borders: [Date] = []
  /// When the last was sent that was handed over; `nil`: nothing was.
  private(set) var last: Date?

  init() {}

  /// - Parameter text: what is kept; anything else is taken for nothing.
  init(text: String) {
    let times = text.split(separator: " ").compactMap { TimeInterval($0) }
      .map { Date(timeIntervalSince1970: $0) }
    (last, borders) = (times.first, Array(times.dropFirst()))
  }

  /// What is kept; `nil` for nothing.
  var text: String? {
    last.map {
      ([$0] + borders).map { "\($0.timeIntervalSince1970)" }.joined(separator: " ")
    }
  }

  /// Takes what came together, by the times with which it is stored.
  /// - Parameter isFirst: whether the session begins with it.
  /// - Returns: whether something may be missing before it.
  mutating func take(from first: Date, to newest: Date, isFirst: Bool) -> Bool {
    // What comes again because nobody had acknowledged it is what the session before ended with: nothing lies between.
    let isBorder = isFirst && last.map { first > $0 } ?? false
    if isBorder { borders = (borders + [first]).suffix(Self.limit) }
    last = max(last ?? newest, newest)
    return isBorder
  }
}
