/// The keys of messages that have not arrived, the oldest first.
///
/// Keys are flat arrays, so that a copy of thousands is a copy of memory.
struct SkippedKeys: Sendable, Hashable {
  /// The keys of one chain.
  struct Chain: Sendable, Hashable {
    let ratchetKey: [UInt8]
    /// The numbers of the messages, ascending.
    fileprivate(set) var counters: [UInt32]
    /// The seed of each message's keys, 32 bytes each.
    fileprivate(set) var seeds: [UInt8]

    /// - Parameter counters: Ascending.
    /// - Parameter seeds: 32 bytes for each counter.
    init(ratchetKey: [UInt8], counters: [UInt32], seeds: [UInt8]) {
      self.ratchetKey = ratchetKey
      self.counters = counters
      self.seeds = seeds
    }

    fileprivate func index(of counter: UInt32) -> Int? {
      var low = 0
      var high = counters.count
      while low < high {
        let middle = (low + high) / 2
        if counters[middle] < counter { low = middle + 1 } else { high = middle }
      }
      return low < counters.count && counters[low] == counter ? low : nil
    }

    fileprivate mutating func removeFirst(_ count: Int) {
      counters.removeFirst(count)
      seeds.removeFirst(count * 32)
    }
  }

  /// The chains with keys, in the order in which they began. Each has at least one key.
  private(set) var chains: [Chain] = []

  init() {}

  /// - Parameter chains: Without empty ones, each with another ratchet key.
  init(chains: [Chain]) { self.chains = chains }

  /// The number of keys.
  var count: Int { chains.reduce(0) { $0 + $1.counters.count } }

  func hasChain(_ ratchetKey: [UInt8]) -> Bool { chains.contains { $0.ratchetKey == ratchetKey } }

  /// The seed of a message's keys.
  func seed(_ ratchetKey: [UInt8], _ counter: Int) -> [UInt8]? {
    guard let counter = UInt32(exactly: counter),
      let chain = chains.last(where: { $0.ratchetKey == ratchetKey }),
      let index = chain.index(of: counter)
    else { return nil }
    return Array(chain.seeds[index * 32..<(index + 1) * 32])
  }

  mutating func remove(_ ratchetKey: [UInt8], _ counter: Int) {
    guard let counter = UInt32(exactly: counter),
      let position = chains.lastIndex(where: { $0.ratchetKey == ratchetKey }),
      let index = chains[position].index(of: counter)
    else { return }
    chains[position].counters.remove(at: index)
    chains[position].seeds.removeSubrange(index * 32..<(index + 1) * 32)
    if chains[position].counters.isEmpty { chains.remove(at: position) }
  }

  /// Adds the keys of the newest chain from the message with the number `first` on.
  /// - Parameter seeds: 32 bytes for each message.
  mutating func append(_ ratchetKey: [UInt8], from first: Int, seeds: [UInt8]) {
    guard !seeds.isEmpty else { return }
    let counters = (0..<seeds.count / 32).map { UInt32(truncatingIfNeeded: first + $0) }
    if let last = chains.indices.last, chains[last].ratchetKey == ratchetKey {
      chains[last].counters += counters
      chains[last].seeds += seeds
    } else {
      chains.append(Chain(ratchetKey: ratchetKey, counters: counters, seeds: seeds))
    }
  }

  /// Drops the oldest keys until `limit` are left.
  mutating func keepNewest(_ limit: Int) {
    var surplus = count - max(0, limit)
    guard surplus > 0 else { return }
    var emptied = 0
    while surplus > 0, emptied < chains.count, chains[emptied].counters.count <= surplus {
      surplus -= chains[emptied].counters.count
      emptied += 1
    }
    chains.removeFirst(emptied)
    if surplus > 0, !chains.isEmpty { chains[0].removeFirst(surplus) }
  }
}
