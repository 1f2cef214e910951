/// Counts what was sent and what the other side has (XEP-0198 §4).
package struct StreamManagement: Sendable {
  /// The other side says it has more than was sent.
  package struct TooHigh: Error, Hashable, Sendable {
    package let acknowledged: UInt32
    package let sent: UInt32
  }

  /// Stanzas that the consumers are done with, modulo 2^32: the `h` that is told.
  package private(set) var handled: UInt32 = 0
  /// Stanzas sent, modulo 2^32.
  package private(set) var sent: UInt32 = 0
  /// Ids of stanzas that are not acknowledged, oldest first; `nil` for one without an id.
  package private(set) var unacknowledged: [String?] = []

  package init(handled: UInt32 = 0, sent: UInt32 = 0, unacknowledged: [String?] = []) {
    self.handled = handled
    self.sent = sent
    self.unacknowledged = unacknowledged
  }

  package mutating func didSend(_ id: String?) {
    sent &+= 1
    unacknowledged.append(id)
  }

  package mutating func didHandle(_ count: Int) { handled &+= UInt32(truncatingIfNeeded: count) }

  /// Takes the other side's `h`.
  /// - Returns: the ids that are acknowledged with it.
  /// - Throws: `TooHigh`.
  package mutating func acknowledge(_ h: UInt32) throws(TooHigh) -> [String] {
    let open = Int(sent &- h)
    guard open <= unacknowledged.count else { throw TooHigh(acknowledged: h, sent: sent) }
    let done = unacknowledged.prefix(unacknowledged.count - open)
    unacknowledged.removeFirst(done.count)
    return done.compactMap { $0 }
  }
}
