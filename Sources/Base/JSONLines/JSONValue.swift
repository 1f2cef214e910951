import FoundationEssentials

/// A value of JSON (RFC 8259).
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// A number without fraction and exponent that fits.
  case integer(Int)
  /// Any other number; always finite.
  case number(Double)
  case text(String)
  case array([JSONValue])
  /// Of members that occur twice, the last counts.
  case object([String: JSONValue])

  /// The deepest nesting of arrays and objects that is read.
  package static let maximumDepth = 64

  /// The value on one line. Members are in the order of their names, characters that a terminal
  /// could take for commands are written as escapes.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the value on one line, as `text` has it, in UTF-8.
  func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): bytes.append(contentsOf: String(value).utf8)
    case .number(let value): bytes.append(contentsOf: String(value).utf8)
    case .text(let value): bytes.append(quoted: value)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(quoted: member.key)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// The member of this name; `nil`: this is no object, or has none.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The text, if this is one.
  package var string: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  /// The integer, if this is one.
  package var int: Int? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The boolean, if this is one.
  package var bool: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// The elements, if this is an array.
  package var elements: [JSONValue]? {
    guard case .array(let values) = self else { return nil }
    return values
  }
}
