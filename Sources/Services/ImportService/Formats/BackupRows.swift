import BoundedText
import JSONLines

/// Splits an array of JSON into its elements, with bounded memory. Elements of tables that are not
/// needed, which hold passwords and keys, are passed over unread.
struct BackupRows {
  /// A row of a table of the backup.
  struct Row {
    let table: String
    /// The columns; `nil`: they cannot be read.
    let values: JSONValue?
    /// The number of the row, from 1 on.
    let number: Int
  }

  private static let needed = ["conversations", "messages"]

  private enum Position { case start, elements, end }

  private let limit: Int
  private var position = Position.start
  private var element: [UInt8] = []
  private var number = 0
  private var depth = 0
  private var isText = false
  private var isEscape = false
  private var isTooLong = false

  /// - Parameter limit: the longest element that is read, in bytes; each byte of a body may be
  ///   written as six.
  init(limit: Int = 8 << 20) { self.limit = limit }

  /// Indicates whether the array was complete.
  var isAtEnd: Bool { position == .end }

  /// Takes the next bytes and calls `take` with the rows that end in them.
  mutating func add(_ bytes: ArraySlice<UInt8>, _ take: (Row) throws -> Void) throws {
    for byte in bytes {
      switch position {
      case .start: if byte == UInt8(ascii: "[") { position = .elements }
      case .end: return
      case .elements:
        if depth == 0, byte == UInt8(ascii: "]") {
          position = .end
        } else if isEnd(byte), let row = row() {
          try take(row)
        }
      }
    }
  }

  /// Adds a byte of an element.
  /// - Returns: `true` if the element is complete.
  private mutating func isEnd(_ byte: UInt8) -> Bool {
    if depth == 0 {
      // Between elements: only objects are rows.
      guard byte == UInt8(ascii: "{") else { return false }
      (element, isTooLong) = ([], false)
    }
    if element.count < limit {
      element.append(byte)
    } else {
      isTooLong = true
    }
    if isText {
      if isEscape {
        isEscape = false
      } else if byte == UInt8(ascii: "\\") {
        isEscape = true
      } else if byte == UInt8(ascii: "\"") {
        isText = false
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): isText = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
    return depth == 0
  }

  private mutating func row() -> Row? {
    number += 1
    defer { element = [] }
    guard let table = Self.needed.first(where: { Self.begins(element, with: $0) }) else {
      return nil
    }
    guard !isTooLong else { return Row(table: table, values: nil, number: number) }
    // Ill-formed UTF-8 becomes U+FFFD before it is parsed.
    let text = String(bounding: element)
    let values = (try? JSONValue(parsing: text.utf8))?["values"]
    return Row(table: table, values: values, number: number)
  }

  /// Returns whether an element begins with the name of its table, as all do.
  private static func begins(_ element: [UInt8], with table: String) -> Bool {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let start = element.prefix(64 + table.utf8.count).filter { !blanks.contains($0) }
    return start.starts(with: Array("{\"table\":\"\(table)\"".utf8))
  }
}
