/// Keeps the order between stanzas that consumers still process and answers that were taken at
/// once, so that the count reported to the server (XEP-0198 `h`) never covers an unhandled stanza.
package struct HandledStanzaCounter {
  private struct Entry {
    var open: Int
    let total: Int
  }

  private var entries: [Entry] = []

  package init() {}

  /// The number of stanzas that were delivered and are not handled.
  package private(set) var backlog = 0

  /// The number of stanzas that were dropped on arrival.
  package private(set) var dropped = 0

  /// Adds the stanzas that arrived before counting began (XEP-0198 §4, §5): they are handled in
  /// order, but are not part of the count.
  mutating func begin(with early: EarlyStanzas) {
    _ = add(stanzas: early.stanzas.count, answers: 0, counts: false)
    dropped += early.dropped
  }

  /// Records a stanza that was dropped on arrival; it counts as handled with the answers of the
  /// same read.
  package mutating func didDrop() { dropped += 1 }

  /// Adds the stanzas of one read.
  /// - Parameter counts: false for stanzas that came before counting began.
  /// - Returns: The number of stanzas that can be counted as handled now.
  package mutating func add(stanzas: Int, answers: Int, counts: Bool = true) -> Int {
    guard stanzas + answers > 0 else { return 0 }
    if stanzas == 0, entries.isEmpty { return answers }
    backlog += stanzas
    entries.append(Entry(open: stanzas, total: counts ? stanzas + answers : 0))
    return 0
  }

  /// Records that the consumers are done with `count` more stanzas, in the order of delivery.
  /// - Returns: The number of stanzas that can be counted as handled now.
  package mutating func handle(_ count: Int) -> Int {
    // Never more than there are: a consumer that counts twice must not make the server forget
    // stanzas that are not handled.
    let count = min(count, backlog)
    backlog -= count
    var rest = count
    var done = 0
    while let first = entries.first, first.open <= rest {
      rest -= first.open
      done += first.total
      entries.removeFirst()
    }
    if rest > 0, !entries.isEmpty { entries[0].open -= rest }
    return done
  }
}
