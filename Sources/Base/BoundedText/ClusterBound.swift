/// Text in which no cluster goes on without end.
///
/// When text is compared, hashed, normalised or iterated by character, the standard library takes
/// the square of the length of a run of marks, joiners or flags: 60,000 accents on one letter take
/// half a minute, each time. Text from outside is therefore bounded once, where it becomes a
/// `String`: after `limit` scalars that may belong to one cluster a U+200B is inserted, which ends
/// every cluster (UAX #29, GB4) and every sequence of marks that is sorted (like U+034F in UAX #15
/// §13, which ends no cluster). Nothing is removed, so that different texts remain different, and
/// shorter runs, which is all readable text, stay the same byte for byte. So does ASCII, and with
/// it all hashes, signatures and base64.
package enum ClusterBound {
  /// The scalars that may follow one another in a cluster, as UAX #15 §13 lets marks.
  package static let limit = 30
  private static let separator: [UInt8] = Array("\u{200B}".utf8)
  /// A shorter text has no run that is too long: what joins takes two bytes at least.
  private static let shortest = limit * 2

  /// The bytes of `bytes` (UTF-8, possibly ill-formed) bounded; `nil` when nothing is inserted.
  static func bounded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard bytes.count > shortest, var index = firstBeyondASCII(bytes, from: 0) else { return nil }
    var scan = ClusterScan()
    var result: [UInt8] = []
    var copied = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        // One character at a time only where the text before it may take it.
        scan = ClusterScan()
        guard let next = firstBeyondASCII(bytes, from: index) else { break }
        index = next
        continue
      }
      let (scalar, length) = decoded(bytes, at: index)
      if scan.endsCluster(before: JoiningKind(scalar)) {
        result.append(contentsOf: bytes[copied..<index])
        result.append(contentsOf: separator)
        copied = index
      }
      index += length
    }
    guard copied > 0 else { return nil }
    result.append(contentsOf: bytes[copied...])
    return result
  }

  /// The first byte from `start` on that is not ASCII, looked for eight at once.
  private static func firstBeyondASCII(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    var index = start
    let raw = UnsafeRawBufferPointer(bytes)
    while index + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    while index < bytes.count {
      if bytes[index] >= 0x80 { return index }
      index += 1
    }
    return nil
  }

  /// The scalar at `index` and its length; U+FFFD and one byte where the bytes are no UTF-8.
  private static func decoded(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (Unicode.Scalar, Int) {
    let lead = bytes[index]
    let length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1
    guard length > 1, index + length <= bytes.count else { return ("\u{FFFD}", 1) }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    var position = index + 1
    while position < index + length {
      let next = bytes[position]
      guard next & 0xC0 == 0x80 else { return ("\u{FFFD}", 1) }
      value = value << 6 | UInt32(next & 0x3F)
      position += 1
    }
    guard let scalar = Unicode.Scalar(value) else { return ("\u{FFFD}", 1) }
    return (scalar, length)
  }
}

/// Counts the scalars that may belong to the current cluster.
private struct ClusterScan {
  private var count = 0
  private var previous = JoiningKind.base
  /// Indicates whether a virama follows the last letter: then the next letter belongs to it.
  private var isLinking = false

  /// Takes the next scalar.
  /// - Returns: whether the cluster has to end before it.
  mutating func endsCluster(before kind: JoiningKind) -> Bool {
    let joins = joins(kind)
    defer {
      previous = kind
      switch kind {
      case .linker: isLinking = true
      case .mark, .joiner: break
      default: isLinking = false
      }
    }
    guard joins else {
      count = 0
      return false
    }
    count += 1
    // Flags are pairs: the row is cut between two of them.
    guard count > (kind == .indicator ? ClusterBound.limit - 1 : ClusterBound.limit) else {
      return false
    }
    // As if what is put in had been there.
    previous = .base
    isLinking = false
    count = self.joins(kind) ? 1 : 0
    return true
  }

  private func joins(_ kind: JoiningKind) -> Bool {
    switch kind {
    case .mark, .linker, .joiner: return true
    case .initial where previous == .initial: return true
    case .indicator where previous == .indicator: return true
    default: break
    }
    switch previous {
    case .joiner, .prepend: return true
    case .mark, .linker: return isLinking
    default: return false
    }
  }
}

extension String {
  /// UTF-8 from outside as text (`ClusterBound`); ill-formed sequences come as U+FFFD.
  package init(bounding bytes: UnsafeBufferPointer<UInt8>) {
    if let bounded = ClusterBound.bounded(bytes) {
      self = String(decoding: bounded, as: UTF8.self)
    } else {
      self = String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The same from bytes that lie anywhere.
  package init(bounding bytes: some Sequence<UInt8>) {
    let found = bytes.withContiguousStorageIfAvailable { String(bounding: $0) }
    self = found ?? Array(bytes).withUnsafeBufferPointer { String(bounding: $0) }
  }

  /// This text, bounded (`ClusterBound`): for text that was concatenated or decoded.
  package var bounded: String {
    var text = self
    let changed = text.withUTF8 { ClusterBound.bounded($0) }
    return changed.map { String(decoding: $0, as: UTF8.self) } ?? text
  }
}
