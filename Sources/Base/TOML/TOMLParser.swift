import BoundedText

/// One pass over the text of a file.
struct TOMLParser {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var document = TOMLDocument()
  /// Index of the section that receives keys; `nil` after an invalid section header.
  private var current: Int? = 0
  private var errors: [TOMLError] = []
  /// The indices of the sections: searching them would take long in a file with many.
  private var sections: [[String]: Int] = [:]
  private let joinsDottedKeys: Bool

  /// Deeper nesting of arrays is refused, so that a hostile file cannot exhaust the stack.
  private static let depthLimit = 16

  /// - Parameter joinsDottedKeys: reads `a.b = 1` as the key "a.b"; otherwise it is an error.
  init(_ text: String, joinsDottedKeys: Bool = false) {
    bytes = Array(text.utf8)
    self.joinsDottedKeys = joinsDottedKeys
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func run() -> (TOMLDocument, [TOMLError]) {
    while position < bytes.count {
      let start = line
      do throws(TOMLError) {
        try readLine()
      } catch {
        errors.append(error)
        recover(startedAt: start)
      }
    }
    return (document, errors)
  }

  // MARK: Lines

  private mutating func readLine() throws(TOMLError) {
    skipBlanks()
    guard let byte = peek else { return }
    switch byte {
    case Self.newline, UInt8(ascii: "\r"), UInt8(ascii: "#"): break
    case UInt8(ascii: "["): try readHead()
    default: try readEntry()
    }
    try endLine()
  }

  /// `[section.sub]`
  private mutating func readHead() throws(TOMLError) {
    let start = line
    // Keys below an invalid header must not be added to the section before it.
    current = nil
    position += 1
    if peek == UInt8(ascii: "[") {
      throw wrong("mistake.toml.arrayOfTables")
    }
    var path: [String] = []
    while true {
      skipBlanks()
      path.append(try readKey(orElse: "mistake.toml.missingSectionName"))
      skipBlanks()
      if take(".") { continue }
      if take("]") { break }
      throw wrong("mistake.toml.unclosedHead")
    }
    if let index = sections[path] {
      current = index
      let first = document.tables[index].line
      let name = path.joined(separator: ".")
      errors.append(
        TOMLError(
          line: start,
          LocalizableText(
            "mistake.toml.sectionTwice",
            ["section": .verbatim(name), "first": .verbatim(String(first))])))
      return
    }
    document.tables.append(TOMLTable(path: path, line: start))
    current = document.tables.count - 1
    sections[path] = current
  }

  /// `key = value`
  private mutating func readEntry() throws(TOMLError) {
    let start = line
    var key = try readKey(orElse: "mistake.toml.missingKey")
    skipBlanks()
    while joinsDottedKeys, take(".") {
      skipBlanks()
      key += "." + (try readKey(orElse: "mistake.toml.missingKey"))
      skipBlanks()
    }
    if peek == UInt8(ascii: ".") {
      throw wrong("mistake.toml.dottedKey", ["key": .verbatim(key)])
    }
    guard take("=") else {
      throw wrong("mistake.toml.noEquals", ["key": .verbatim(key)])
    }
    skipBlanks()
    let value = try readValue(depth: 0)
    guard let current else { return }
    if !document.tables[current].add(key, value, line: start) {
      let first = document.tables[current].entries.first { $0.key == key }?.line ?? 0
      errors.append(
        TOMLError(
          line: start,
          LocalizableText(
            "mistake.toml.keyTwice", ["key": .verbatim(key), "first": .verbatim(String(first))])))
    }
  }

  private mutating func endLine() throws(TOMLError) {
    skipBlanks()
    try skipComment()
    guard let byte = peek else { return }
    if byte == UInt8(ascii: "\r"), position + 1 < bytes.count, bytes[position + 1] == Self.newline {
      position += 1
    } else if byte != Self.newline {
      throw wrong("mistake.toml.behindValue", ["rest": rest()])
    }
    takeNewline()
  }

  /// Skips to where parsing can continue: the next line, or after an incomplete array.
  private mutating func recover(startedAt start: Int) {
    skipToNextLine()
    // An error in a later line than the key's is inside an array: its other elements would repeat
    // it.
    guard line > start + 1 else { return }
    while position < bytes.count, !looksLikeNewStart { skipToNextLine() }
  }

  private var looksLikeNewStart: Bool {
    let end = bytes[position...].firstIndex(of: Self.newline) ?? bytes.count
    let text = bytes[position..<end].drop { $0 == 0x20 || $0 == 0x09 }
    guard let first = text.first else { return false }
    if first == UInt8(ascii: "[") { return true }
    guard TOMLByte.isBare(first) else { return false }
    return text.drop(while: TOMLByte.isBare).drop { $0 == 0x20 || $0 == 0x09 }.first
      == UInt8(ascii: "=")
  }

  // MARK: Keys and values

  /// - Parameter missing: the key of the error text for a missing key.
  private mutating func readKey(orElse missing: String) throws(TOMLError) -> String {
    switch peek {
    case UInt8(ascii: "\""):
      position += 1
      return try readBasicString()
    case UInt8(ascii: "'"):
      position += 1
      return try readLiteralString()
    default:
      let start = position
      while let byte = peek, TOMLByte.isBare(byte) { position += 1 }
      guard position > start else {
        throw wrong(missing, ["rest": rest()])
      }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }
  }

  private mutating func readValue(depth: Int) throws(TOMLError) -> TOMLValue {
    let start = line
    switch peek {
    case UInt8(ascii: "\""):
      try refuseTriple(UInt8(ascii: "\""))
      position += 1
      return TOMLValue(.string(try readBasicString()), line: start)
    case UInt8(ascii: "'"):
      try refuseTriple(UInt8(ascii: "'"))
      position += 1
      return TOMLValue(.string(try readLiteralString()), line: start)
    case UInt8(ascii: "["):
      guard depth < Self.depthLimit else { throw wrong("mistake.toml.tooDeep") }
      position += 1
      return TOMLValue(.array(try readArray(depth: depth)), line: start)
    case UInt8(ascii: "{"):
      throw wrong("mistake.toml.inlineTable")
    case nil, Self.newline, UInt8(ascii: "\r"), UInt8(ascii: "#"):
      throw wrong("mistake.toml.missingValue")
    default:
      return TOMLValue(try readWord(), line: start)
    }
  }

  private func refuseTriple(_ quote: UInt8) throws(TOMLError) {
    if position + 2 < bytes.count, bytes[position + 1] == quote, bytes[position + 2] == quote {
      throw wrong("mistake.toml.longString", ["sign": .verbatim("\\n")])
    }
  }

  private mutating func readArray(depth: Int) throws(TOMLError) -> [TOMLValue] {
    let start = line
    var elements: [TOMLValue] = []
    while true {
      try skipSpace()
      if take("]") { return elements }
      guard peek != nil else { throw unclosedArray(from: start) }
      elements.append(try readValue(depth: depth + 1))
      try skipSpace()
      if take(",") { continue }
      if take("]") { return elements }
      guard peek != nil else { throw unclosedArray(from: start) }
      throw wrong("mistake.toml.noComma", ["rest": rest()])
    }
  }

  private func unclosedArray(from start: Int) -> TOMLError {
    TOMLError(line: start, LocalizableText("mistake.toml.unclosedArray"))
  }

  /// A boolean or an integer.
  private mutating func readWord() throws(TOMLError) -> TOMLValue.ValueType {
    let start = position
    while let byte = peek, TOMLByte.isWord(byte) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "":
      throw wrong("mistake.toml.noValue", ["rest": rest()])
    default: return .integer(try integer(word))
    }
  }

  private func integer(_ word: String) throws(TOMLError) -> Int {
    let unsigned = word.drop { $0 == "+" || $0 == "-" }
    guard let first = unsigned.first, first.isASCII, first.isNumber,
      word.count - unsigned.count <= 1
    else {
      let lower = word.lowercased()
      throw ["true", "false"].contains(lower)
        ? wrong("mistake.toml.capitalWord", ["word": .verbatim(word), "lower": .verbatim(lower)])
        : wrong("mistake.toml.bareWord", ["word": .verbatim(word)])
    }
    guard unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") })
    else {
      throw wrong("mistake.toml.noInteger", ["word": .verbatim(word)])
    }
    guard first != "0" || unsigned.count == 1 else {
      throw wrong("mistake.toml.leadingZero", ["word": .verbatim(word)])
    }
    guard !unsigned.contains("__"), unsigned.last != "_" else {
      throw wrong("mistake.toml.looseUnderscore", ["word": .verbatim(word)])
    }
    guard let number = Int(word.filter { $0 != "_" }) else {
      throw wrong("mistake.toml.tooLarge", ["word": .verbatim(word)])
    }
    return number
  }

  private mutating func readLiteralString() throws(TOMLError) -> String {
    let start = position
    while let byte = peek, byte != UInt8(ascii: "'") {
      try refuseControl(byte, quote: "'")
      position += 1
    }
    guard peek != nil else { throw unclosedString("'") }
    defer { position += 1 }
    return String(bounding: bytes[start..<position])
  }

  private mutating func readBasicString() throws(TOMLError) -> String {
    // Most strings have no escape in them and are copied unchanged.
    let start = position
    while let byte = peek, TOMLByte.isVerbatim(byte) { position += 1 }
    if take("\"") { return String(bounding: bytes[start..<position - 1]) }
    var text = Array(bytes[start..<position])
    while let byte = peek {
      try refuseControl(byte, quote: "\"")
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(bounding: text)
      case UInt8(ascii: "\\"): text += String(try readEscape()).utf8
      default: text.append(byte)
      }
    }
    throw unclosedString("\"")
  }

  private mutating func readEscape() throws(TOMLError) -> Character {
    guard let byte = peek, byte != Self.newline else { throw unclosedString("\"") }
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "u"): return try readScalar(digits: 4)
    case UInt8(ascii: "U"): return try readScalar(digits: 8)
    default:
      position -= 1
      let sign = String(decoding: bytes[position...].prefix(4), as: UTF8.self).prefix(1)
      throw wrong(
        "mistake.toml.unknownEscape",
        ["escape": .verbatim("\\" + sign), "backslash": .verbatim("\\\\")])
    }
  }

  private mutating func readScalar(digits: Int) throws(TOMLError) -> Character {
    let end = min(bytes.count, position + digits)
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit),
      let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value)
    else {
      throw wrong(
        "mistake.toml.badScalar",
        ["escape": .verbatim(digits == 4 ? "\\u" : "\\U"), "digits": .verbatim(String(digits))])
    }
    position = end
    return Character(scalar)
  }

  private func refuseControl(_ byte: UInt8, quote: String) throws(TOMLError) {
    if byte == Self.newline || byte == UInt8(ascii: "\r") { throw unclosedString(quote) }
    if byte < 0x20 && byte != 0x09 || byte == 0x7F {
      throw wrong("mistake.toml.control", ["escape": .verbatim("\\u00XX")])
    }
  }

  private func unclosedString(_ quote: String) -> TOMLError {
    wrong("mistake.toml.unclosedString", ["quote": .verbatim(quote)])
  }

  // MARK: Bytes

  private static let newline = UInt8(ascii: "\n")

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func takeNewline() {
    position += 1
    line += 1
  }

  private mutating func skipToNextLine() {
    while let byte = peek, byte != Self.newline { position += 1 }
    if peek != nil { takeNewline() }
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 { position += 1 }
  }

  private mutating func skipComment() throws(TOMLError) {
    guard peek == UInt8(ascii: "#") else { return }
    while let byte = peek, byte != Self.newline { position += 1 }
    if position > 0, bytes[position - 1] == UInt8(ascii: "\r") { position -= 1 }
  }

  /// Skips blanks, line ends and comments, as between the elements of an array.
  private mutating func skipSpace() throws(TOMLError) {
    while let byte = peek {
      switch byte {
      case 0x20, 0x09, UInt8(ascii: "\r"): position += 1
      case Self.newline: takeNewline()
      case UInt8(ascii: "#"): try skipComment()
      default: return
      }
    }
  }

  /// Returns the rest of the line, shortened, for an error text.
  private func rest() -> LocalizableText.Word {
    let end = bytes[position...].firstIndex(of: Self.newline) ?? bytes.count
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    let shown = text.prefix(20).filter { !$0.isNewline }
    return shown.isEmpty
      ? .named("mistake.toml.lineEnd") : .verbatim(shown + (text.count > 20 ? "..." : ""))
  }

  private func wrong(_ key: String, _ arguments: [String: LocalizableText.Word] = [:]) -> TOMLError
  {
    TOMLError(line: line, LocalizableText(key, arguments))
  }
}
