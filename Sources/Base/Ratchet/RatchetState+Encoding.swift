/// The reason why stored bytes are not a session.
package enum RatchetStateError: Error, Equatable, Sendable {
  /// A newer program wrote them; holds the number of their format.
  case unknownFormat(UInt8)
  /// They are not what was written.
  case damaged
}

// The stored form of a session, all of which the checksum at its end covers:
//
//   format (1 byte), version of the encryption (1), flags (1)
//   their identity key, base key, root key, own ratchet key: private, public (32 each)
//   their ratchet key (32), if flag 2
//   sending chain: key (32), count, if flag 4
//   receiving chain: key (32), count, if flag 8
//   count of the previous chain
//   ids of the pre-key and of the signed pre-key, if flag 16
//   number of finished chains; each: ratchet key (32), count
//   number of chains with skipped keys; each: ratchet key (32), number of keys; each: distance from
//     the counter before it, seed (32)
//   checksum (8)
//
// Counts, numbers and ids are in LEB128. Each state has a single form.
extension RatchetState {
  private static let format: UInt8 = 1

  private enum Flag {
    static let isBegunHere: UInt8 = 1
    static let theirRatchetKey: UInt8 = 2
    static let sending: UInt8 = 4
    static let receiving: UInt8 = 8
    static let pending: UInt8 = 16
    static let all: UInt8 = 31
  }

  /// The bytes that are stored. They contain private keys.
  package var encoded: [UInt8] {
    var flags: UInt8 = isBegunHere ? Flag.isBegunHere : 0
    if theirRatchetKey != nil { flags |= Flag.theirRatchetKey }
    if sending != nil { flags |= Flag.sending }
    if receiving != nil { flags |= Flag.receiving }
    if pending != nil { flags |= Flag.pending }
    var bytes: [UInt8] = [Self.format, UInt8(truncatingIfNeeded: version.rawValue), flags]
    bytes.reserveCapacity(400 + finished.count * 35 + skippedCount * 34 + skipped.chains.count * 35)
    bytes += theirIdentityKey + baseKey + root + ownRatchet.privateKey + ownRatchet.publicKey
    if let theirRatchetKey { bytes += theirRatchetKey }
    for chain in [sending, receiving] {
      guard let chain else { continue }
      bytes += chain.key
      bytes.append(leb128: chain.count)
    }
    bytes.append(leb128: previousCount)
    if let pending {
      bytes.append(leb128: pending.preKeyID)
      bytes.append(leb128: pending.signedPreKeyID)
    }
    bytes.append(leb128: finished.count)
    for chain in finished {
      bytes += chain.ratchetKey
      bytes.append(leb128: chain.count)
    }
    bytes.append(leb128: skipped.chains.count)
    for chain in skipped.chains {
      bytes += chain.ratchetKey
      bytes.append(leb128: chain.counters.count)
      var next = 0
      for (index, counter) in chain.counters.enumerated() {
        bytes.append(leb128: Int(counter) - next)
        bytes += chain.seeds[index * 32..<(index + 1) * 32]
        next = Int(counter) + 1
      }
    }
    bytes += Self.checksum(bytes[...])
    return bytes
  }

  /// Reads what `encoded` wrote.
  /// - Throws: `RatchetStateError`.
  package init(encoded: [UInt8]) throws(RatchetStateError) {
    guard let format = encoded.first else { throw .damaged }
    guard format == Self.format else { throw .unknownFormat(format) }
    let content = encoded.dropLast(8)
    guard encoded.count > 8, Self.checksum(content) == Array(encoded.suffix(8)) else {
      throw .damaged
    }
    var reader = Reader(rest: content.dropFirst())
    guard let version = RatchetVersion(rawValue: Int(try reader.byte())) else { throw .damaged }
    let flags = try reader.byte()
    guard flags & ~Flag.all == 0 else { throw .damaged }
    let theirIdentityKey = try reader.key()
    let baseKey = try reader.key()
    let root = try reader.key()
    let ratchet = RatchetKeyPair(privateKey: try reader.key(), publicKey: try reader.key())
    self.init(
      version: version, theirIdentityKey: theirIdentityKey, baseKey: baseKey,
      isBegunHere: flags & Flag.isBegunHere != 0, root: root, ownRatchet: ratchet)
    if flags & Flag.theirRatchetKey != 0 { theirRatchetKey = try reader.key() }
    if flags & Flag.sending != 0 { sending = try reader.chain() }
    if flags & Flag.receiving != 0 { receiving = try reader.chain() }
    // Keys are received from somebody.
    guard receiving == nil || theirRatchetKey != nil else { throw .damaged }
    previousCount = try reader.count()
    if flags & Flag.pending != 0 {
      pending = PendingExchange(preKeyID: try reader.id(), signedPreKeyID: try reader.id())
    }
    for _ in 0..<(try reader.count()) {
      finished.append(FinishedChain(ratchetKey: try reader.key(), count: try reader.count()))
    }
    skipped = try reader.skippedKeys()
    guard reader.rest.isEmpty, hasAscendingCounters else { throw .damaged }
  }

  /// Indicates whether keys were skipped only where their chains were read.
  private var hasAscendingCounters: Bool {
    var counts: [[UInt8]: Int] = [:]
    for chain in finished { counts[chain.ratchetKey] = chain.count }
    if let theirRatchetKey, let receiving { counts[theirRatchetKey] = receiving.count }
    return skipped.chains.allSatisfy {
      guard let last = $0.counters.last, let count = counts[$0.ratchetKey] else { return true }
      return Int(last) < count
    }
  }

  /// FNV-1a of 64 bits: recognizes bytes that a disk or a tool changed. It does not protect from
  /// anyone who can write the file.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    bytes.withUnsafeBufferPointer {
      for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
  }
}

/// Takes the parts of a stored session from the front.
private struct Reader {
  private(set) var rest: ArraySlice<UInt8>

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  mutating func byte() throws(RatchetStateError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .damaged }
    return byte
  }

  mutating func key() throws(RatchetStateError) -> [UInt8] {
    guard rest.count >= 32 else { throw .damaged }
    defer { rest = rest.dropFirst(32) }
    return Array(rest.prefix(32))
  }

  /// A number from 0 to 2³², in the shortest form.
  mutating func count() throws(RatchetStateError) -> Int {
    var value = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      let byte = try byte()
      value |= Int(byte & 0x7F) << shift
      guard byte < 0x80 else { continue }
      guard value <= 1 << 32, shift == 0 || byte != 0 else { throw .damaged }
      return value
    }
    throw .damaged
  }

  mutating func id() throws(RatchetStateError) -> UInt32 {
    guard let id = UInt32(exactly: try count()) else { throw .damaged }
    return id
  }

  mutating func chain() throws(RatchetStateError) -> RatchetChain {
    RatchetChain(key: try key(), count: try count())
  }

  mutating func skippedKeys() throws(RatchetStateError) -> SkippedKeys {
    var chains: [SkippedKeys.Chain] = []
    var known: Set<[UInt8]> = []
    for _ in 0..<(try count()) {
      let ratchetKey = try key()
      let size = try count()
      // Each key has 33 bytes or more.
      guard known.insert(ratchetKey).inserted, size > 0, size <= rest.count / 33 else {
        throw .damaged
      }
      var counters: [UInt32] = []
      var seeds: [UInt8] = []
      counters.reserveCapacity(size)
      seeds.reserveCapacity(size * 32)
      var next = 0
      for _ in 0..<size {
        guard let counter = UInt32(exactly: next + (try count())) else { throw .damaged }
        counters.append(counter)
        seeds += try key()
        next = Int(counter) + 1
      }
      chains.append(SkippedKeys.Chain(ratchetKey: ratchetKey, counters: counters, seeds: seeds))
    }
    return SkippedKeys(chains: chains)
  }
}
