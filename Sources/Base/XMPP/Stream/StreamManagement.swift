/// Counts sent stanzas and those that the other side acknowledged (XEP-0198 §4).
package struct StreamManagement: Sendable {
  /// The other side acknowledges more stanzas than were sent.
  package struct TooHigh: Error, Hashable, Sendable {
    package let acknowledged: UInt32
    package let sent: UInt32
  }

  /// The number of stanzas that the consumers are done with, modulo 2^32: the `h` that is reported.
  package private(set) var handled: UInt32 = 0
  /// The number of stanzas sent, modulo 2^32.
  package private(set) var sent: UInt32 = 0
  /// Ids of stanzas that are not acknowledged, oldest first; `nil` for a stanza without an id.
  package private(set) var unacknowledged: [String?] = []

  package init(handled: UInt32 = 0, sent: UInt32 = 0, unacknowledged: [String?] = []) {
    self.handled = handled
    self.sent = sent
    self.unacknowledged = unacknowledged
  }

  /// Counts a sent stanza with this id, which is then unacknowledged.
  package mutating func didSend(_ id: String?) {
    sent &+= 1
    unacknowledged.append(id)
  }

  /// Counts `count` more stanzas as handled.
  package mutating func didHandle(_ count: Int) { handled &+= UInt32(truncatingIfNeeded: count) }

  /// Processes the other side's `h`.
  /// - Returns: The ids that it acknowledges.
  /// - Throws: `TooHigh`.
  package mutating func acknowledge(_ h: UInt32) throws(TooHigh) -> [String] {
    let open = Int(sent &- h)
    guard open <= unacknowledged.count else { throw TooHigh(acknowledged: h, sent: sent) }
    let done = unacknowledged.prefix(unacknowledged.count - open)
    unacknowledged.removeFirst(done.count)
    return done.compactMap { $0 }
  }
}
