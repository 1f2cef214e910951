import FoundationEssentials

/// When sessions that ended before the archive was read began with what the server had kept: between two of them other clients may
/// have taken something.
struct HandedOver: Hashable {
  /// Sessions before this many are not told apart any more.
  private static let limit = 20

  /// The server's time of the first that a session was handed over, of each but the first session.
  private(set) var borders: [Date] = []
  /// That of the last that was handed over; `nil`: nothing was.
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

  /// Takes what came together.
  /// - Parameter isFirst: whether the session begins with it.
  mutating func take(_ times: [Date], isFirst: Bool) {
    guard let first = times.min(), let newest = times.max() else { return }
    // What comes again because nobody had acknowledged it is what the session before ended with: nothing lies between.
    if isFirst, let last, first > last {
      borders = (borders + [first]).suffix(Self.limit)
    }
    last = max(last ?? newest, newest)
  }
}
