/// Removes redundant sequences from a frame: at each change ncurses resets to the terminal's own
/// colours and then sets those of plain text, some forty bytes, and selects the character set each
/// time.
///
/// It interprets known sequences and leaves everything else unchanged. At the end the terminal has
/// the same rendition as with the original frame, so output between two frames is not affected.
nonisolated struct FrameShortener {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var shortened: [UInt8] = []
  /// The rendition that the terminal has, and the one that it should have by now.
  private var look: Rendition
  private var wanted: Rendition
  /// The final byte of the last selection of the character set G0; `nil` if unknown.
  private var characterSet: UInt8?
  /// The state at the last saving of the cursor; `nil` if it was not saved, as far as known.
  private var saved: (look: Rendition, characterSet: UInt8?)?
  private var codes: [Int] = []
  private let repeatsBlanks: Bool
  /// Indicates whether the next bytes may belong to an unknown sequence, of which blanks can be a
  /// part.
  private var mayGoOn = false

  /// The state of the terminal between two frames.
  struct Known: Equatable {
    fileprivate(set) var look = Rendition.unknown
    fileprivate(set) var characterSet: UInt8?
  }

  /// Returns a shorter frame.
  /// - Parameters:
  ///   - repeatsBlanks: whether the terminal supports the repetition of a character (REP, ECMA-48
  ///     §8.3.103).
  ///   - known: the state after the previous frame, updated to the state after this one.
  /// - Returns: bytes with the same result on the screen.
  static func shorten(_ frame: [UInt8], repeatsBlanks: Bool, knowing known: inout Known) -> [UInt8]
  {
    frame.withUnsafeBufferPointer { bytes in
      var shortener = FrameShortener(bytes, repeatsBlanks: repeatsBlanks, known)
      let shortened = shortener.run()
      known = Known(look: shortener.look, characterSet: shortener.characterSet)
      return shortened
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, repeatsBlanks: Bool, _ known: Known) {
    self.bytes = bytes
    self.repeatsBlanks = repeatsBlanks
    (look, wanted, characterSet) = (known.look, known.look, known.characterSet)
    shortened.reserveCapacity(bytes.count)
  }

  private mutating func run() -> [UInt8] {
    while position < bytes.count {
      switch bytes[position] {
      case 0x1B: escape()
      // BEL, back space, tab, return and the choice between G0 and G1.
      case 0x07, 0x08, 0x09, 0x0D, 0x0E, 0x0F: pass(1)
      // A line feed may scroll in a new row, with the selected background.
      case ..<0x20: passLooking(1)
      case 0xC2 where position + 1 < bytes.count && bytes[position + 1] < 0xA0:
        passLooking(2)
        forget()
      default: text()
      }
    }
    show()
    return shortened
  }

  // MARK: What is passed on

  /// Sends the change to the rendition that the next output should have.
  private mutating func show() {
    guard look != wanted else { return }
    shortened += look.change(to: wanted)
    look = wanted
  }

  private mutating func pass(_ count: Int) {
    let end = min(bytes.count, position + count)
    shortened += bytes[position..<end]
    position = end
  }

  /// Passes on bytes whose result depends on the rendition.
  private mutating func passLooking(_ count: Int) {
    show()
    pass(count)
  }

  private mutating func forget() {
    (look, wanted, characterSet) = (.unknown, .unknown, nil)
    saved = nil
    mayGoOn = true
  }

  /// Passes on characters up to the next control character.
  private mutating func text() {
    var end = position + 1
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != 0xC2 { end += 1 }
    if !mayGoOn, look != wanted, look.showsBlanks(as: wanted) {
      passBlanks(to: end)
      guard position < end else { return }
    }
    show()
    guard repeatsBlanks else { return pass(end - position) }
    if mayGoOn {
      guard let final = bytes[position..<end].firstIndex(where: { (0x40..<0x7F).contains($0) })
      else {
        return pass(end - position)
      }
      mayGoOn = false
      pass(final + 1 - position)
    }
    var next = position
    while next < end {
      guard bytes[next] == 0x20 else {
        next += 1
        continue
      }
      pass(next - position)
      passBlanks(to: end)
      next = position
    }
    pass(end - position)
  }

  /// Passes on the next blanks, except for the last before a character that might be a combining
  /// mark: the mark has the colour of its base.
  private mutating func passBlanks(to end: Int) {
    var next = position
    while next < end, bytes[next] == 0x20 { next += 1 }
    if next > position, next < end, bytes[next] >= 0x80, look != wanted { next -= 1 }
    let count = next - position
    // Blanks are the same in every character set. No sequence is shorter than five of them.
    if repeatsBlanks, count > 5 {
      let again = " \u{1B}[\(count - 1)b".utf8
      if again.count < count {
        shortened += again
        position = next
        return
      }
    }
    pass(count)
  }

  // MARK: Sequences

  private mutating func escape() {
    guard position + 1 < bytes.count else { return passLooking(1) }
    mayGoOn = false
    switch bytes[position + 1] {
    case UInt8(ascii: "["): control()
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      // An unterminated string is left unchanged up to the end, because a later part might
      // terminate it.
      passLooking(stringLength ?? bytes.count - position)
    case UInt8(ascii: "("): chooseCharacterSet()
    case UInt8(ascii: "7"):
      passLooking(2)
      saved = (look, characterSet)
    case UInt8(ascii: "8"):
      guard let saved else {
        passLooking(2)
        return forget()
      }
      pass(2)
      (look, characterSet) = saved
      wanted = look
    // IND, NEL and RI may scroll in rows; the keypad's mode changes nothing.
    case UInt8(ascii: "D"), UInt8(ascii: "E"), UInt8(ascii: "M"), UInt8(ascii: "="),
      UInt8(ascii: ">"):
      passLooking(2)
    default:
      // An unknown sequence; its remaining bytes are passed on after this.
      passLooking(2)
      forget()
    }
  }

  private mutating func chooseCharacterSet() {
    guard position + 2 < bytes.count, (0x30..<0x7F).contains(bytes[position + 2]) else {
      passLooking(2)
      return forget()
    }
    let chosen = bytes[position + 2]
    if chosen == characterSet { position += 3 } else { pass(3) }
    characterSet = chosen
  }

  /// The length of a control string with its terminator: ST, or BEL after `]`; `nil` if it is not
  /// terminated.
  private var stringLength: Int? {
    let isCommand = bytes[position + 1] == UInt8(ascii: "]")
    for end in position + 2..<bytes.count {
      switch bytes[end] {
      case 0x1B where end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "\\"):
        return end + 2 - position
      case 0x07 where isCommand: return end + 1 - position
      case 0x1B, 0x18, 0x1A: return nil
      default: break
      }
    }
    return nil
  }

  /// Reads `CSI`, parameters, intermediates and the final byte (ECMA-48 §5.4).
  private mutating func control() {
    let first = position + 2
    var end = first
    while end < bytes.count, (0x20..<0x40).contains(bytes[end]) { end += 1 }
    guard end < bytes.count, (0x40..<0x7F).contains(bytes[end]) else {
      // Interrupted.
      passLooking(end - position)
      return forget()
    }
    let length = end + 1 - position
    let isPlain = bytes[first..<end].allSatisfy {
      (0x30..<0x3A).contains($0) || $0 == UInt8(ascii: ";")
    }
    switch bytes[end] {
    case UInt8(ascii: "m") where isPlain: select(first..<end, length)
    // Cursor movements.
    case UInt8(ascii: "A")...UInt8(ascii: "D"), UInt8(ascii: "G"), UInt8(ascii: "H"),
      UInt8(ascii: "d"):
      if isPlain { pass(length) } else { passForgetting(length) }
    // Erasing, inserting, scrolling, repetition, margins: these use the rendition and do not change
    // it.
    case UInt8(ascii: "J"), UInt8(ascii: "K"), UInt8(ascii: "X"), UInt8(ascii: "@"),
      UInt8(ascii: "P"), UInt8(ascii: "L"), UInt8(ascii: "M"), UInt8(ascii: "S"),
      UInt8(ascii: "T"), UInt8(ascii: "b"), UInt8(ascii: "r"), UInt8(ascii: "h"), UInt8(ascii: "l"):
      if isPlain, Self.clears.contains(bytes[end]), look.showsBlanks(as: wanted) {
        pass(length)
      } else if isPlain || Self.modes.contains(where: bytes[first..<end].elementsEqual) {
        passLooking(length)
      } else {
        passForgetting(length)
      }
    default: passForgetting(length)
    }
  }

  /// The functions that produce only blanks.
  private static let clears = Array("JKX@PLMST".utf8)

  /// The modes of a visible cursor, a blinking cursor, and synchronised output, which do not change
  /// the rendition.
  private static let modes = ["?25", "?12", "?12;25", "?2026"].map { Array($0.utf8) }

  private mutating func passForgetting(_ length: Int) {
    passLooking(length)
    forget()
  }

  /// Interprets SGR.
  private mutating func select(_ parameters: Range<Int>, _ length: Int) {
    codes.removeAll(keepingCapacity: true)
    var number = 0
    for byte in bytes[parameters] {
      if byte == UInt8(ascii: ";") {
        codes.append(number)
        number = 0
      } else {
        number = min(number * 10 + Int(byte - 0x30), 100_000)
      }
    }
    codes.append(number)
    if wanted.apply(codes) {
      position += length
    } else {
      passForgetting(length)
    }
  }
}
