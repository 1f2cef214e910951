/// Splits an XML file into tags, without reading it whole. What is between the tags is checked by
/// the parser that gets a collected part.
struct XMLTokens {
  enum Token: Hashable {
    /// A start tag, `<a b="c">`, or that of an empty element, without the slash.
    case start([UInt8], name: [UInt8], isEmpty: Bool)
    case end
  }

  /// The longest tag, in bytes.
  private static let longestTag = 64 << 10

  private let file: HistoryFile
  private var offset = 0
  private var piece: [UInt8] = []
  private var index = 0
  /// The bytes since `collect`; `nil`: they are not kept, or are too many.
  private var collected: [UInt8]?
  private var collectionLimit = 0

  init(_ file: HistoryFile) { self.file = file }

  private var damaged: ImportFailure { .damaged(path: file.path) }

  /// The number of bytes that were read.
  var position: Int { offset - piece.count + index }

  /// Keeps all bytes from here on, after `tag`.
  mutating func collect(after tag: [UInt8], limit: Int) {
    collected = tag
    collectionLimit = limit
  }

  /// Returns the bytes since `collect`; `nil`: they are too many.
  mutating func takeCollected() -> [UInt8]? {
    defer { collected = nil }
    return collected
  }

  /// Returns the next tag; `nil` at the end.
  /// - Throws: `ImportFailure`; `.damaged` for a document type and for markup that is none.
  mutating func next() throws(ImportFailure) -> Token? {
    while let byte = try read() {
      guard byte == 0x3C else { continue }
      guard let first = try read() else { throw damaged }
      switch first {
      case 0x3F: try skip(to: "?>")
      case 0x21: try skipMarkup()
      case 0x2F:
        try skip(to: ">")
        return .end
      default: return try start(first)
      }
    }
    return nil
  }

  private mutating func start(_ first: UInt8) throws(ImportFailure) -> Token {
    var tag: [UInt8] = [0x3C, first]
    var quote: UInt8?
    while true {
      guard let byte = try read(), tag.count < Self.longestTag else { throw damaged }
      tag.append(byte)
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == 0x3E {
        break
      }
    }
    let isEmpty = tag[tag.count - 2] == 0x2F
    if isEmpty { tag.remove(at: tag.count - 2) }
    let name = tag.dropFirst().prefix { ![0x20, 0x09, 0x0A, 0x0D, 0x2F, 0x3E].contains($0) }
    guard !name.isEmpty else { throw damaged }
    return .start(tag, name: Array(name), isEmpty: isEmpty)
  }

  private mutating func skipMarkup() throws(ImportFailure) {
    guard let first = try read() else { throw damaged }
    switch first {
    case 0x2D: try skip(to: "-->")
    case 0x5B: try skip(to: "]]>")
    // A document type may define entities.
    default: throw damaged
    }
  }

  private mutating func skip(to end: String) throws(ImportFailure) {
    let end = Array(end.utf8)
    var last: [UInt8] = []
    while last != end {
      guard let byte = try read() else { throw damaged }
      last.append(byte)
      if last.count > end.count { last.removeFirst() }
    }
  }

  private mutating func read() throws(ImportFailure) -> UInt8? {
    if index == piece.count {
      piece = try file.bytes(at: offset)
      offset += piece.count
      index = 0
      guard !piece.isEmpty else { return nil }
    }
    let byte = piece[index]
    index += 1
    if let count = collected?.count {
      if count < collectionLimit { collected?.append(byte) } else { collected = nil }
    }
    return byte
  }
}
