import BoundedText

/// Why bytes are no JSON value.
package struct JSONProblem: Error, Hashable, Sendable {
  /// The offset of the byte that is wrong.
  package let offset: Int
}

extension JSONValue {
  /// Reads one value; blanks around it are allowed. Clusters of its texts and names are bounded
  /// (`ClusterBound`), because names are hashed, and both are compared, before anything looks at
  /// them.
  /// - Throws: `JSONProblem` for anything else, for text that is not UTF-8, and for arrays and
  ///   objects deeper than `maximumDepth`.
  package init(parsing bytes: some Collection<UInt8>) throws(JSONProblem) {
    var parser = JSONParser(bytes: Array(bytes))
    self = try parser.document()
  }
}

/// Reads a value of JSON (RFC 8259).
private struct JSONParser {
  let bytes: [UInt8]
  private var offset = 0
  private var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private var problem: JSONProblem { JSONProblem(offset: offset) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func document() throws(JSONProblem) -> JSONValue {
    let value = try value()
    skipBlanks()
    guard next == nil else { throw problem }
    return value
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      offset += 1
    }
  }

  private mutating func take(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    offset += 1
    return true
  }

  private mutating func value() throws(JSONProblem) -> JSONValue {
    skipBlanks()
    guard let byte = next else { throw problem }
    switch Character(Unicode.Scalar(byte)) {
    case "{": return try nested { parser throws(JSONProblem) in try parser.object() }
    case "[": return try nested { parser throws(JSONProblem) in try parser.array() }
    case "\"": return .text(try text())
    case "t": return try word("true", .boolean(true))
    case "f": return try word("false", .boolean(false))
    case "n": return try word("null", .null)
    case "-", "0"..."9": return try number()
    default: throw problem
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
    guard bytes[offset...].starts(with: word.utf8) else { throw problem }
    offset += word.utf8.count
    return value
  }

  private mutating func nested(
    _ read: (inout JSONParser) throws(JSONProblem) -> JSONValue
  ) throws(JSONProblem) -> JSONValue {
    guard depth < JSONValue.maximumDepth else { throw problem }
    depth += 1
    defer { depth -= 1 }
    offset += 1
    return try read(&self)
  }

  private mutating func array() throws(JSONProblem) -> JSONValue {
    var values: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array(values) }
    while true {
      values.append(try value())
      skipBlanks()
      if take("]") { return .array(values) }
      guard take(",") else { throw problem }
    }
  }

  private mutating func object() throws(JSONProblem) -> JSONValue {
    var members: [String: JSONValue] = [:]
    skipBlanks()
    if take("}") { return .object(members) }
    while true {
      skipBlanks()
      let name = try text()
      skipBlanks()
      guard take(":") else { throw problem }
      members[name] = try value()
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { throw problem }
    }
  }

  private mutating func digits() throws(JSONProblem) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw problem }
  }

  private mutating func number() throws(JSONProblem) -> JSONValue {
    let start = offset
    _ = take("-")
    let first = offset
    try digits()
    // No other digit may follow a leading zero.
    if bytes[first] == 0x30, offset > first + 1 { throw JSONProblem(offset: first + 1) }
    var isInteger = true
    if take(".") {
      isInteger = false
      try digits()
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isInteger, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw JSONProblem(offset: start) }
    return .number(value)
  }

  private mutating func text() throws(JSONProblem) -> String {
    guard take("\"") else { throw problem }
    var result: [UInt8] = []
    while let byte = next {
      offset += 1
      switch byte {
      case 0x22:
        guard let text = String(validating: result, as: UTF8.self) else { throw problem }
        return text.bounded
      case 0x5C: try escape(to: &result)
      case 0..<0x20: throw JSONProblem(offset: offset - 1)
      default: result.append(byte)
      }
    }
    throw problem
  }

  private mutating func escape(to result: inout [UInt8]) throws(JSONProblem) {
    guard let byte = next else { throw problem }
    offset += 1
    switch Character(Unicode.Scalar(byte)) {
    case "\"": result.append(0x22)
    case "\\": result.append(0x5C)
    case "/": result.append(0x2F)
    case "b": result.append(0x08)
    case "f": result.append(0x0C)
    case "n": result.append(0x0A)
    case "r": result.append(0x0D)
    case "t": result.append(0x09)
    case "u":
      let scalar = try escapedScalar()
      result.append(contentsOf: String(Character(scalar)).utf8)
    default: throw JSONProblem(offset: offset - 1)
    }
  }

  private mutating func escapedScalar() throws(JSONProblem) -> Unicode.Scalar {
    let unit = try fourDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // Half of a surrogate pair; the other half has to follow.
    guard (0xD800..<0xDC00).contains(unit), take("\\"), take("u") else { throw problem }
    let other = try fourDigits()
    guard (0xDC00..<0xE000).contains(other),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00))
    else { throw problem }
    return scalar
  }

  private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
    guard offset + 4 <= bytes.count else { throw problem }
    let digits = bytes[offset..<offset + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw problem }
    offset += 4
    return value
  }
}
