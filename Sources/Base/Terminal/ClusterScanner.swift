/// A grapheme cluster in UTF-8 text.
struct Cluster {
  /// The start and end, in bytes.
  var start: Int
  var end: Int
  /// The first scalar.
  var first: Unicode.Scalar
  /// The columns if `character` is `nil`: 1 or 2.
  var simpleColumns: Int
  /// The whole cluster; `nil` if it is just `first` and can be drawn unchanged.
  var character: Character?

  /// The columns after sanitising; 0 and more than 2 are possible.
  var columns: Int {
    guard let character else { return simpleColumns }
    return SafeText.columns(of: character)
  }
}

/// Visits the clusters of UTF-8 text.
///
/// Most text consists of scalars that are clusters by themselves, which need neither a `String` nor
/// Unicode's segmentation. Only where the table says that neighbours may join does this use Swift's
/// own segmentation.
/// - Parameter visit: receives each cluster in order; `false` ends the scan.
@inline(__always)
func scanClusters(_ bytes: UnsafeBufferPointer<UInt8>, _ visit: (Cluster) -> Bool) {
  var position = 0
  while position < bytes.count {
    let byte = bytes[position]
    if byte >= 0x20, byte < 0x7F, position + 1 == bytes.count || bytes[position + 1] < 0x80 {
      // Nothing in ASCII joins a printable character.
      let cluster = Cluster(
        start: position, end: position + 1, first: Unicode.Scalar(byte), simpleColumns: 1,
        character: nil)
      guard visit(cluster) else { return }
      position += 1
      continue
    }
    let (scalar, length) = decodeScalar(bytes, at: position)
    let kind = ScalarClass(scalar.value)
    let next = position + length
    if kind.isSimple, next == bytes.count || startsSimply(bytes, at: next) {
      let cluster = Cluster(
        start: position, end: next, first: scalar, simpleColumns: kind.columns,
        character: nil)
      guard visit(cluster) else { return }
      position = next
      continue
    }
    let end = endOfJoined(bytes, from: position)
    guard visitJoined(bytes, position..<end, visit) else { return }
    position = end
  }
}

/// Returns the scalar at a byte offset and its length in bytes; the bytes must be valid UTF-8, as a
/// string's are.
@inline(__always)
func decodeScalar(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> (Unicode.Scalar, Int) {
  let lead = UInt32(bytes[offset])
  func tail(_ index: Int) -> UInt32 {
    offset + index < bytes.count ? UInt32(bytes[offset + index] & 0x3F) : 0
  }
  let value: UInt32
  let length: Int
  switch lead {
  case 0..<0x80: (value, length) = (lead, 1)
  case 0xC0..<0xE0: (value, length) = ((lead & 0x1F) << 6 | tail(1), 2)
  case 0xE0..<0xF0: (value, length) = ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
  default: (value, length) = ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
  }
  return (Unicode.Scalar(value) ?? "\u{FFFD}", min(length, bytes.count - offset))
}

@inline(__always)
private func startsSimply(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
  if bytes[offset] < 0x80 { return true }
  return ScalarClass(decodeScalar(bytes, at: offset).0.value).isSimple
}

/// Returns the end of the range that may contain clusters of several scalars: it extends until two
/// scalars meet that are clusters by themselves.
private func endOfJoined(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
  var position = start
  var wasSimple = false
  while position < bytes.count {
    let (scalar, length) = decodeScalar(bytes, at: position)
    let isSimple = ScalarClass(scalar.value).isSimple
    if isSimple, wasSimple { return position }
    wasSimple = isSimple
    position += length
  }
  return position
}

private func visitJoined(
  _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ visit: (Cluster) -> Bool
) -> Bool {
  var position = range.lowerBound
  for character in String(decoding: bytes[range], as: UTF8.self) {
    guard let first = character.unicodeScalars.first else { continue }
    let end = position + character.utf8.count
    let kind = ScalarClass(first.value)
    let isAlone = kind.isSimple && character.utf8.count == decodeScalar(bytes, at: position).1
    let cluster = Cluster(
      start: position, end: end, first: first, simpleColumns: kind.columns,
      character: isAlone ? nil : character)
    guard visit(cluster) else { return false }
    position = end
  }
  return true
}

extension StringProtocol {
  /// Passes the text's UTF-8 bytes to `body`, without a copy if possible.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = String(self)
    return copy.withUTF8(body)
  }
}
