/// The `<?xml …?>` at the beginning of a stream (XML 1.0 §2.8).
enum XMLDeclaration {
  enum Answer: Equatable {
    case complete(count: Int)
    case incomplete
    case refused(XMLError.Problem, offset: Int)
  }

  /// The longest declaration that is read; RFC 6120 §11.4 has it much shorter.
  private static let longest = 200

  /// Checks bytes that begin with `<?`.
  static func check(_ bytes: UnsafeBufferPointer<UInt8>) -> Answer {
    let opening = Array("<?xml".utf8)
    for (index, expected) in opening.enumerated() {
      guard index < bytes.count else { return .incomplete }
      guard bytes[index] == expected else { return .refused(.processingInstruction, offset: 0) }
    }
    guard bytes.count > 5 else { return .incomplete }
    guard isBlank(bytes[5]) else { return .refused(.processingInstruction, offset: 0) }
    var index = 5
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      guard bytes[index] >= 0x20 && bytes[index] < 0x7F || isBlank(bytes[index]) else {
        return .refused(.unexpectedCharacter, offset: index)
      }
      index += 1
      if index > longest { return .refused(.unexpectedCharacter, offset: index) }
    }
    guard index < bytes.count else { return .incomplete }
    let text = String(decoding: bytes[5..<index], as: UTF8.self)
    guard text.hasSuffix("?"), let parts = pseudoAttributes(String(text.dropLast())),
      parts.first?.0 == "version"
    else { return .refused(.unexpectedCharacter, offset: index) }
    var allowed = ["version", "encoding", "standalone"]
    for (name, value) in parts {
      guard let position = allowed.firstIndex(of: name) else {
        return .refused(.unexpectedCharacter, offset: index)
      }
      allowed.removeFirst(position + 1)
      let isRight =
        switch name {
        case "version": value == "1.0"
        case "standalone": value == "yes" || value == "no"
        default: true
        }
      guard isRight else { return .refused(.unexpectedCharacter, offset: index) }
      if name == "encoding", value.lowercased() != "utf-8" {
        return .refused(.unsupportedEncoding, offset: index)
      }
    }
    return .complete(count: index + 1)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Returns the `name='value'` pairs in `text`, each preceded by a blank; `nil` when it contains
  /// anything else.
  private static func pseudoAttributes(_ text: String) -> [(String, String)]? {
    var parts: [(String, String)] = []
    var rest = Substring(text)
    while true {
      let trimmed = rest.drop { $0.isWhitespace }
      if trimmed.isEmpty { return parts }
      guard trimmed.startIndex > rest.startIndex, let equals = trimmed.firstIndex(of: "=") else {
        return nil
      }
      let name = trimmed[..<equals].filter { !$0.isWhitespace }
      let behind = trimmed[trimmed.index(after: equals)...].drop { $0.isWhitespace }
      guard let quote = behind.first, quote == "'" || quote == "\"" else { return nil }
      let value = behind.dropFirst()
      guard let close = value.firstIndex(of: quote) else { return nil }
      parts.append((name, String(value[..<close])))
      rest = value[value.index(after: close)...]
    }
  }
}
