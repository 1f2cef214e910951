/// Keeps the order between stanzas that consumers still work on and answers that were taken at once, so that the
/// count told to the server (XEP-0198 `h`) never covers a stanza that is not handled.
package struct HandledStanzaCounter {
  private struct Entry {
    var open: Int
    let total: Int
  }

  private var entries: [Entry] = []

  package init() {}

  /// Stanzas that were delivered and are not handled.
  package private(set) var backlog = 0

  /// Stanzas that were dropped as they came.
  package private(set) var dropped = 0

  /// What came before counting began (XEP-0198 §4, §5): it is handled in its turn, and told to nobody.
  mutating func begin(with early: EarlyStanzas) {
    _ = add(stanzas: early.stanzas.count, answers: 0, counts: false)
    dropped += early.dropped
  }

  /// A stanza was dropped as it came; it counts as handled with the answers of the same read.
  package mutating func didDrop() { dropped += 1 }

  /// What one read brought.
  /// - Parameter counts: false for stanzas that came before counting began.
  /// - Returns: how many stanzas can be counted as handled now.
  package mutating func add(stanzas: Int, answers: Int, counts: Bool = true) -> Int {
    guard stanzas + answers > 0 else { return 0 }
    if stanzas == 0, entries.isEmpty { return answers }
    backlog += stanzas
    entries.append(Entry(open: stanzas, total: counts ? stanzas + answers : 0))
    return 0
  }

  /// The consumers are done with `count` more stanzas, in the order of delivery.
  /// - Returns: how many stanzas can be counted as handled now.
  package mutating func handle(_ count: Int) -> Int {
    // Never more than there are: a consumer that counts twice must not make the server forget what is not handled.
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
