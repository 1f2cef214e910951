/// One host and port of a service (RFC 2782).
package struct ServiceRecord: Hashable, Sendable {
  /// The priority, 0...65535; lower ones are tried first.
  package let priority: Int
  /// The share among records of the same priority, 0...65535.
  package let weight: Int
  package let port: Int
  /// The host, without a dot at its end; empty when the record says that there is no such service
  /// (target `.`).
  package let target: String

  package init(priority: Int, weight: Int, port: Int, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }
}

/// The result of a query for one service.
package enum ServiceAnswer: Hashable, Sendable {
  /// At least one record.
  case records([ServiceRecord])
  /// The name does not exist, or has no such records.
  case none
  /// No answer in time, or a malformed one.
  case failed
}

/// The parser of an answer of a name server, which is not trusted (RFC 1035 §4).
package enum DNSMessage {
  /// Returns the SRV records of an answer; unusable records are left out.
  /// - Returns: `nil` when the message is truncated or malformed.
  package static func serviceRecords(in message: [UInt8]) -> [ServiceRecord]? {
    var reader = Reader(message)
    guard reader.skip(2), let flags = reader.number(), let questions = reader.number(),
      let answers = reader.number(), reader.skip(4)
    else { return nil }
    // QR must be set, TC not, RCODE 0.
    guard flags & 0x8000 != 0, flags & 0x0200 == 0, flags & 0x000F == 0 else { return nil }
    for _ in 0..<questions {
      guard reader.name() != nil, reader.skip(4) else { return nil }
    }
    var records: [ServiceRecord] = []
    for _ in 0..<answers {
      guard reader.name() != nil, let type = reader.number(), let klass = reader.number(),
        reader.skip(4), let length = reader.number(), reader.offset + length <= message.count
      else { return nil }
      let end = reader.offset + length
      defer { reader.offset = end }
      guard type == 33, klass == 1 else { continue }
      guard let priority = reader.number(), let weight = reader.number(),
        let port = reader.number(), let name = reader.name(), reader.offset == end
      else { return nil }
      guard let target = host(name), port > 0 || target.isEmpty else { continue }
      if records.count < 100 {
        records.append(
          ServiceRecord(priority: priority, weight: weight, port: port, target: target))
      }
    }
    return records
  }

  /// Returns the labels as a host name; `nil` when a byte is not allowed in one.
  private static func host(_ labels: [ArraySlice<UInt8>]) -> String? {
    for label in labels {
      let isClean = label.allSatisfy { byte in
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
      }
      if !isClean { return nil }
    }
    return labels.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: ".")
  }

  private struct Reader {
    private let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
      guard offset + count <= bytes.count else { return false }
      offset += count
      return true
    }

    /// Reads two bytes, big-endian.
    mutating func number() -> Int? {
      guard offset + 2 <= bytes.count else { return nil }
      defer { offset += 2 }
      return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    /// Reads a name's labels (RFC 1035 §4.1.4). A pointer must lead towards the start of the
    /// message, so that loops are impossible.
    mutating func name() -> [ArraySlice<UInt8>]? {
      var labels: [ArraySlice<UInt8>] = []
      var total = 0
      var position = offset
      var lowest = offset
      var hasJumped = false
      while position < bytes.count {
        let length = Int(bytes[position])
        switch length {
        case 0:
          if !hasJumped { offset = position + 1 }
          return labels
        case 1...63:
          total += length + 1
          guard total <= 254, position + 1 + length <= bytes.count else { return nil }
          labels.append(bytes[(position + 1)...(position + length)])
          position += 1 + length
        case 0xC0...0xFF:
          guard position + 1 < bytes.count else { return nil }
          let target = (length & 0x3F) << 8 | Int(bytes[position + 1])
          guard target < lowest else { return nil }
          if !hasJumped { offset = position + 2 }
          hasJumped = true
          lowest = target
          position = target
        default:
          return nil
        }
      }
      return nil
    }
  }
}
