/// Writes a file in the subset of TOML that `TOMLDocument` reads.
package struct TOMLWriter: Sendable {
  /// The text written so far; each line ends with a newline.
  package private(set) var text = ""

  package init() {}

  /// Adds a comment of one line.
  package mutating func comment(_ line: String) {
    // A control character would end the comment, or be invalid in it.
    let safe = line.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }
    text += "# " + safe.joined() + "\n"
  }

  /// Begins a section for the keys that follow. Each section may begin only once.
  package mutating func section(_ path: String...) {
    if !text.isEmpty { text += "\n" }
    text += "[" + path.map(Self.key).joined(separator: ".") + "]\n"
  }

  /// Adds a key with its value.
  package mutating func set(_ key: String, _ value: TOMLValue.ValueType) {
    text += Self.key(key) + " = " + Self.spelled(value) + "\n"
  }

  /// Adds a key with a text; `nil` adds nothing.
  package mutating func set(_ key: String, _ value: String?) {
    if let value { set(key, .string(value)) }
  }

  /// Adds a key with a number; `nil` adds nothing.
  package mutating func set(_ key: String, _ value: Int?) {
    if let value { set(key, .integer(value)) }
  }

  private static func key(_ name: String) -> String {
    let isBare =
      !name.isEmpty
      && name.utf8.allSatisfy {
        switch Unicode.Scalar($0) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
      }
    return isBare ? name : TOMLValue.quoted(name)
  }

  private static func spelled(_ value: TOMLValue.ValueType) -> String {
    switch value {
    case .string(let text): TOMLValue.quoted(text)
    case .integer(let number): String(number)
    case .boolean(let isTrue): String(isTrue)
    case .array(let elements):
      "[" + elements.map { spelled($0.kind) }.joined(separator: ", ") + "]"
    }
  }
}
