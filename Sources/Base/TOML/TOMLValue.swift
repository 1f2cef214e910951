/// A value of a TOML file, with its line.
package struct TOMLValue: Equatable, Sendable {
  /// The types of the subset (interface.md, "Configuration files").
  package enum ValueType: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([TOMLValue])
  }

  /// The type and the content.
  package var kind: ValueType
  /// The line where the value begins, counted from 1.
  package var line: Int

  package init(_ kind: ValueType, line: Int) {
    self.kind = kind
    self.line = line
  }

  /// The text, if this is a string.
  package var string: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The number, if this is an integer.
  package var integer: Int? {
    if case .integer(let number) = kind { number } else { nil }
  }

  /// The Boolean, if this is one.
  package var boolean: Bool? {
    if case .boolean(let isTrue) = kind { isTrue } else { nil }
  }

  /// The elements, if this is an array.
  package var array: [TOMLValue]? {
    if case .array(let elements) = kind { elements } else { nil }
  }

  /// The texts, if this is an array of strings only.
  package var strings: [String]? {
    guard let array else { return nil }
    let strings = array.compactMap(\.string)
    return strings.count == array.count ? strings : nil
  }

  /// The name of the type, for a sentence: `a string`, `an integer`.
  package var kindName: LocalizableText.Word {
    switch kind {
    case .string: .named("mistake.kind.string")
    case .integer: .named("mistake.kind.integer")
    case .boolean: .named("mistake.kind.boolean")
    case .array: .named("mistake.kind.array")
    }
  }

  /// Returns `text` as a basic string with quotation marks, in TOML notation.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7F {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

/// One section of a TOML file: its keys and values in the file's order.
package struct TOMLTable: Equatable, Sendable {
  /// A key with its value.
  package struct Entry: Equatable, Sendable {
    package var key: String
    package var value: TOMLValue
    /// The line of the key, counted from 1.
    package var line: Int
  }

  /// The parts of the section's name; empty for the keys above the first section.
  package var path: [String]
  /// The line of the section's header; 0 for the keys above the first section.
  package var line: Int
  /// In the file's order.
  package internal(set) var entries: [Entry] = []
  /// The indices of the keys; only for long sections: searching a short one is faster than filling
  /// a dictionary.
  private var positions: [String: Int] = [:]
  private static let shortLength = 32

  init(path: [String], line: Int) {
    self.path = path
    self.line = line
  }

  /// The value of a key.
  package subscript(key: String) -> TOMLValue? {
    index(of: key).map { entries[$0].value }
  }

  /// The keys in the file's order.
  package var keys: [String] { entries.map(\.key) }

  /// Adds a key; returns `false` if it exists already.
  mutating func add(_ key: String, _ value: TOMLValue, line: Int) -> Bool {
    guard index(of: key) == nil else { return false }
    entries.append(Entry(key: key, value: value, line: line))
    if entries.count > Self.shortLength {
      for index in (positions.isEmpty ? 0 : entries.count - 1)..<entries.count {
        positions[entries[index].key] = index
      }
    }
    return true
  }

  private func index(of key: String) -> Int? {
    positions.isEmpty ? entries.firstIndex { $0.key == key } : positions[key]
  }
}
