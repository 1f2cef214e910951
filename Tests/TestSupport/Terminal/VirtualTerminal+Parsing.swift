extension VirtualTerminal {
  /// Where in a sequence the output is (after Williams' VT500 parser).
  struct Parser: Sendable {
    enum State: Sendable {
      case ground, escape, control, systemCommand, ignoredString
    }
    var state = State.ground
    /// Parameters and intermediates of the sequence so far.
    var collected: [UInt8] = []
    /// A UTF-8 character so far, and how many bytes it still wants.
    var character: UInt32 = 0
    var missing = 0
    var least: UInt32 = 0
    /// ESC came inside a string: perhaps the string terminator `ESC \`.
    var sawEscape = false
  }

  /// Takes a program's output; it may be cut anywhere.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { feed(byte) }
  }

  private mutating func feed(_ byte: UInt8) {
    switch parser.state {
    case .systemCommand, .ignoredString: return feedString(byte)
    case .ground: if byte >= 0x80 || parser.missing > 0, feedCharacter(byte) { return }
    case .escape, .control: break
    }
    switch byte {
    case 0x1b: begin(.escape)
    case 0x18, 0x1a: begin(.ground)
    case 0..<0x20: control(byte)
    case 0x7f: break
    default:
      switch parser.state {
      case .escape: feedEscape(byte)
      case .control: feedControl(byte)
      default: write(Unicode.Scalar(byte))
      }
    }
  }

  private mutating func begin(_ state: Parser.State) {
    parser.state = state
    parser.collected.removeAll()
    parser.sawEscape = false
  }

  /// - Returns: whether the byte was part of a character of several bytes.
  private mutating func feedCharacter(_ byte: UInt8) -> Bool {
    if parser.missing > 0 {
      guard byte & 0xc0 == 0x80 else {
        malformed()
        return byte >= 0x80 ? feedCharacter(byte) : false
      }
      parser.character = parser.character << 6 | UInt32(byte & 0x3f)
      parser.missing -= 1
      guard parser.missing == 0 else { return true }
      // Overlong forms and surrogates are no characters.
      if parser.character >= parser.least, let scalar = Unicode.Scalar(parser.character) {
        write(scalar)
      } else {
        malformed()
      }
      return true
    }
    switch byte {
    case 0xc2..<0xe0:
      (parser.character, parser.missing, parser.least) = (UInt32(byte & 0x1f), 1, 0x80)
    case 0xe0..<0xf0:
      (parser.character, parser.missing, parser.least) = (UInt32(byte & 0xf), 2, 0x800)
    case 0xf0..<0xf5:
      (parser.character, parser.missing, parser.least) = (UInt32(byte & 0x7), 3, 0x10000)
    default: malformed()
    }
    return true
  }

  private mutating func malformed() {
    parser.missing = 0
    malformedBytes += 1
    write("\u{FFFD}")
  }

  private mutating func feedEscape(_ byte: UInt8) {
    guard !(0x20..<0x30).contains(byte) else { return parser.collected.append(byte) }
    if parser.collected.isEmpty {
      switch byte {
      case UInt8(ascii: "["): return begin(.control)
      case UInt8(ascii: "]"): return begin(.systemCommand)
      case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
        return begin(.ignoredString)
      default: break
      }
    }
    let intermediates = parser.collected
    begin(.ground)
    escape(intermediates, final: byte)
  }

  private mutating func feedControl(_ byte: UInt8) {
    guard byte >= 0x40 else { return parser.collected.append(byte) }
    let sequence = ControlSequence(parser.collected, final: byte)
    begin(.ground)
    perform(sequence)
  }

  private mutating func feedString(_ byte: UInt8) {
    let isCommand = parser.state == .systemCommand
    if parser.sawEscape {
      parser.sawEscape = false
      if byte == UInt8(ascii: "\\") { return endString(isCommand) }
      begin(.escape)
      return feed(byte)
    }
    switch byte {
    case 0x1b: parser.sawEscape = true
    case 0x07 where isCommand: endString(isCommand)
    case 0x18, 0x1a: begin(.ground)
    default: parser.collected.append(byte)
    }
    // The Linux console's palette commands have a length instead of an end (console_codes(4)).
    if isCommand, parser.collected == [UInt8(ascii: "R")] {
      begin(.ground)
    } else if isCommand, parser.collected.first == UInt8(ascii: "P"), parser.collected.count == 8 {
      begin(.ground)
    }
  }

  private mutating func endString(_ isCommand: Bool) {
    let text = String(decoding: parser.collected, as: UTF8.self)
    begin(.ground)
    if isCommand { systemCommand(text) }
  }
}

/// `CSI`, parameters, intermediates and the final byte (ECMA-48 §5.4).
struct ControlSequence {
  /// `?`, `>`, `<` or `=` before the parameters.
  let marker: Character?
  /// Sub-parameters after colons become parameters of their own, but for `isColon`.
  let parameters: [Int?]
  let intermediates: String
  let final: Character
  let text: String

  init(_ collected: [UInt8], final: UInt8) {
    let parameterBytes = collected.filter { (0x30..<0x40).contains($0) }
    var body = String(decoding: parameterBytes, as: UTF8.self)
    if let first = body.first, "?><=".contains(first) {
      marker = first
      body.removeFirst()
    } else {
      marker = nil
    }
    parameters =
      body.isEmpty
      ? [] : body.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == ":" }.map { Int($0) }
    intermediates = String(
      decoding: collected.filter { (0x20..<0x30).contains($0) }, as: UTF8.self)
    self.final = Character(Unicode.Scalar(final))
    text = "\\e[" + String(decoding: collected + [final], as: UTF8.self)
  }

  /// A parameter; 0 and none both mean `standard`, which is at least 1 nearly everywhere.
  func number(_ index: Int, or standard: Int = 1) -> Int {
    guard index < parameters.count, let value = parameters[index], value != 0 else {
      return standard
    }
    return min(value, 100_000)
  }
}
