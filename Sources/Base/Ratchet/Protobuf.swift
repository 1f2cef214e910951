/// The fields of a protocol buffer, for the two types that messages use: numbers and bytes.
///
/// Fields with unknown numbers are skipped. A field that appears twice is an error, as are groups,
/// lengths beyond the end, and numbers over 64 bits.
struct ProtobufFields {
  private enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
    /// A number of fixed width, which no field of a message is.
    case fixed
  }

  /// The values by their numbers. Messages have six fields at most, so that a search is quicker
  /// than a dictionary, and unknown fields are not kept.
  private var values: [(field: Int, value: Value)] = []

  /// - Parameter known: The numbers of the fields that are read.
  init(_ bytes: ArraySlice<UInt8>, known: ClosedRange<Int>) throws(MalformedReason) {
    var rest = bytes
    while !rest.isEmpty {
      let tag = try Self.number(&rest)
      guard let field = Int(exactly: tag >> 3), (1..<1 << 29).contains(field) else {
        throw .encoding
      }
      let value: Value
      switch tag & 7 {
      case 0: value = .number(try Self.number(&rest))
      case 1:
        _ = try Self.bytes(8, &rest)
        value = .fixed
      case 2: value = .bytes(try Self.bytes(try Self.number(&rest), &rest))
      case 5:
        _ = try Self.bytes(4, &rest)
        value = .fixed
      default: throw .encoding
      }
      guard known.contains(field) else { continue }
      if values.contains(where: { $0.field == field }) { throw .repeatedField(field) }
      values.append((field, value))
    }
  }

  /// The number in `field`; `nil` if the field is missing.
  func number(_ field: Int) throws(MalformedReason) -> UInt32? {
    guard let found = values.first(where: { $0.field == field }) else { return nil }
    guard case .number(let number) = found.value, let number = UInt32(exactly: number) else {
      throw .field(field)
    }
    return number
  }

  /// The bytes in `field`.
  func bytes(_ field: Int) throws(MalformedReason) -> ArraySlice<UInt8> {
    guard let found = values.first(where: { $0.field == field }) else {
      throw .missingField(field)
    }
    guard case .bytes(let bytes) = found.value else { throw .field(field) }
    return bytes
  }

  /// The public key in `field`, without its type.
  func key(_ field: Int) throws(MalformedReason) -> [UInt8] {
    let bytes = try bytes(field)
    guard bytes.count == 33, bytes.first == RatchetMessage.keyType else { throw .publicKey }
    return Array(bytes.dropFirst())
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) throws(MalformedReason) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = rest.popFirst() {
      // The tenth byte has the 64th bit alone.
      guard shift < 63 || byte <= 1 else { throw .encoding }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .encoding
  }

  private static func bytes(
    _ count: UInt64, _ rest: inout ArraySlice<UInt8>
  ) throws(MalformedReason) -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= rest.count else { throw .encoding }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}

/// Writes the fields of a protocol buffer.
struct ProtobufWriter {
  private(set) var bytes: [UInt8]

  init(after first: [UInt8]) { bytes = first }

  mutating func append(_ field: UInt8, number: UInt32) {
    bytes.append(field << 3)
    bytes.append(leb128: number)
  }

  mutating func append(_ field: UInt8, bytes content: [UInt8]) {
    bytes.append(field << 3 | 2)
    bytes.append(leb128: content.count)
    bytes += content
  }
}

extension [UInt8] {
  /// Appends a number in LEB128: seven bits in each byte, the lowest first.
  mutating func append(leb128 number: some BinaryInteger) {
    var rest = UInt64(truncatingIfNeeded: number)
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
