import FoundationEssentials

/// Logs of the form that mcabber and poezio share: `MR 20261128T21:04:10Z 001 text`, the number
/// being that of the further lines of the text.
struct NumberedLog {
  struct Entry {
    /// The two letters at its start.
    let kind: String
    let date: Date
    /// The texts of its lines.
    let lines: [[UInt8]]
    /// The number of its first line in the file.
    let number: Int
  }

  enum Item {
    case entry(Entry)
    /// Lines that are none, or belong to no entry.
    case refused(number: Int)
  }

  private var reader: LineReader
  /// Indicates whether further lines begin with a blank.
  private let hasBlanks: Bool
  private let limit: Int

  init(_ file: HistoryFile, hasBlanks: Bool) {
    reader = LineReader(file, limit: HistoryText.limit + 256)
    self.hasBlanks = hasBlanks
    limit = HistoryText.limit
  }

  /// Returns the next entry; `nil` at the end.
  mutating func next() throws(ImportFailure) -> Item? {
    guard let first = try reader.next() else { return nil }
    guard let head = Self.head(of: first.bytes) else { return .refused(number: first.number) }
    var lines = [Array(head.text)]
    var size = head.text.count
    var isBroken = false
    for _ in 0..<head.count {
      guard let line = try reader.next() else {
        isBroken = true
        break
      }
      if hasBlanks, line.bytes.first != 0x20, Self.head(of: line.bytes) != nil {
        // The entry has fewer lines than it says.
        reader.giveBack(line)
        isBroken = true
        break
      }
      size += line.bytes.count + 1
      if line.isTooLong || size > limit {
        isBroken = true
        lines = []
      } else if !isBroken {
        lines.append(
          Array(
            hasBlanks && line.bytes.first == 0x20
              ? line.bytes.dropFirst() : line.bytes[...]))
      }
    }
    guard !isBroken else { return .refused(number: first.number) }
    return .entry(
      Entry(kind: head.kind, date: head.date, lines: lines, number: first.number))
  }

  /// Reads the fields before the text.
  static func head(of line: [UInt8]) -> (
    kind: String, date: Date, count: Int, text: ArraySlice<UInt8>
  )? {
    guard line.count >= 22, line.prefix(2).allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x5F })
    else { return nil }
    let kind = String(decoding: line.prefix(2), as: UTF8.self)
    var fields = FieldReader(line)
    guard fields.skip(kind + " "), let date = date(&fields), fields.skip(" ") else { return nil }
    // Three digits, or four.
    guard var count = fields.number(3) else { return nil }
    if let more = fields.number(1) { count = count * 10 + more }
    guard fields.skip(" ") || fields.rest.isEmpty else { return nil }
    return (kind, date, count, fields.rest)
  }

  /// Reads `20261128T21:04:10Z`.
  private static func date(_ fields: inout FieldReader) -> Date? {
    guard let time = fields.localTime("", "T", ":"), fields.skip("Z") else { return nil }
    return HistoryText.time(Double(time.seconds))
  }
}
