extension ClusterBound {
  /// A text of JSON with its strings bounded. Escapes of non-ASCII characters (RFC 8259 §7) are
  /// decoded, as a run of them could not be seen. Bytes that are not JSON come back as such.
  package static func json(_ bytes: [UInt8]) -> [UInt8] {
    let plain = bytes.contains(UInt8(ascii: "\\")) ? unescaped(bytes) : bytes
    return plain.withUnsafeBufferPointer { bounded($0) } ?? plain
  }

  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
        result.append(bytes[index])
        index += 1
        continue
      }
      if let (scalar, length) = escape(bytes, at: index), scalar.value >= 0x80 {
        result.append(contentsOf: Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter))
        index += length
      } else {
        // A backslash takes the next byte with it, be that another backslash.
        result.append(contentsOf: bytes[index...(index + 1)])
        index += 2
      }
    }
    return result
  }

  /// The scalar of the escape `\uXXXX` at `index`, or of a pair of them, and the length, or `nil`.
  private static func escape(_ bytes: [UInt8], at index: Int) -> (Unicode.Scalar, Int)? {
    guard let first = unit(bytes, at: index) else { return nil }
    if let scalar = Unicode.Scalar(UInt32(first)) { return (scalar, 6) }
    guard UTF16.isLeadSurrogate(first), let second = unit(bytes, at: index + 6),
      UTF16.isTrailSurrogate(second)
    else { return nil }
    let value = 0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
    return Unicode.Scalar(value).map { ($0, 12) }
  }

  private static func unit(_ bytes: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    else { return nil }
    var value: UInt16 = 0
    for byte in bytes[(index + 2)..<(index + 6)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}
