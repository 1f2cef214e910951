import FoundationEssentials

/// The times at which sessions that ended before the archive was read began with offline messages:
/// between two of them, other clients may have received some.
package struct OfflineDeliveryLog: Hashable, Sendable {
  /// The number of sessions that are distinguished; older ones are merged.
  private static let limit = 20

  /// The stored time of the first message delivered to a session, for each session but the first.
  package private(set) var borders: [Date]
  /// The time of the last delivered message; `nil`: none.
  package private(set) var last: Date?

  package init(last: Date? = nil, borders: [Date] = []) {
    (self.last, self.borders) = (last, borders)
  }

  /// Adds messages that came together, by their stored times.
  /// - Parameter isFirst: `true` if the session begins with them.
  /// - Returns: `true` if messages may be missing before them.
  package mutating func take(from first: Date, to newest: Date, isFirst: Bool) -> Bool {
    // Unacknowledged messages that come again are the end of the previous session: none are
    // missing.
    let isBorder = isFirst && last.map { first > $0 } ?? false
    if isBorder { borders = (borders + [first]).suffix(Self.limit) }
    last = max(last ?? newest, newest)
    return isBorder
  }
}
