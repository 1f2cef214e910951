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
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .boolean(let value): result += value ? "true" : "false"
    case .integer(let value): result += String(value)
    case .number(let value): result += String(value)
    case .text(let value): JSONLine.write(value, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += "," }
        value.write(to: &result)
      }
      result += "]"
    case .object(let members):
      result += "{"
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { result += "," }
        JSONLine.write(member.key, to: &result)
        result += ":"
        member.value.write(to: &result)
      }
      result += "}"
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
