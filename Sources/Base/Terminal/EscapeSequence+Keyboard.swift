// Keys of kitty's keyboard protocol and xterm's modifyOtherKeys, and the terminal's reports of such
// modes.
extension EscapeSequence {
  /// Returns a report of a mode (DECRPM, `CSI ? mode ; state $ y`), of kitty's keyboard protocol
  /// (`CSI ? flags u`) or of the terminal's features (DA1, `CSI ? class ; feature ... c`); `nil`
  /// for any other.
  static func report(
    _ parameters: ArraySlice<UInt8>, _ final: UInt8, hasDollar: Bool
  ) -> TerminalReport? {
    let values = Parameters(parameters).values
    if final == UInt8(ascii: "u"), !hasDollar, values.count == 1 { return .distinguishesKeys }
    // The first number is the terminal class, in which 4 means VT132.
    if final == UInt8(ascii: "c"), !hasDollar {
      return values.dropFirst().contains(TerminalReport.sixelFeature) ? .drawsSixels : nil
    }
    // 0: the mode is unknown; 4: it is permanently reset.
    if final == UInt8(ascii: "y"), hasDollar, values.count == 2, (1...3).contains(values[1]) {
      switch values[0] {
      case TerminalReport.frameMode: return .showsFramesWhole
      case TerminalReport.colourMode: return .followsColours
      default: return nil
      }
    }
    if final == UInt8(ascii: "n"), !hasDollar, values.count == 2,
      values[0] == TerminalReport.colourReport, (1...2).contains(values[1])
    {
      return .colours(values[1] == 1 ? .dark : .light)
    }
    return nil
  }

  /// Returns a report of the size of a cell in pixels (`CSI 6 ; height ; width t`); `nil` for any
  /// other.
  static func cell(_ values: [Int], _ final: UInt8) -> TerminalReport? {
    guard final == UInt8(ascii: "t"), values.count == 3, values[0] == 6 else { return nil }
    return TerminalReport.cell(rows: values[1], columns: values[2]).map { .cell($0) }
  }

  /// Reads `CSI code:shifted:base ; modifiers:event ; text u` of kitty's protocol.
  static func kittyKey(_ parameters: Parameters, _ modifiers: Key.Modifiers) -> [InputEvent] {
    guard let code = parameters.values.first else { return [] }
    if parameters.subvalue(of: 1) == 3 { return [] }  // A key release.
    let held = parameters.values.count > 1 ? parameters.values[1] : 1
    // Super and Hyper belong to the desktop: a letter with one of them is not text.
    if max(0, held - 1) & (8 | 16) != 0 { return [] }
    let all = Key.Modifiers(xterm: held).union(modifiers)
    // With Ctrl or Alt, a key of another script counts as the key of the base layout, which
    // commands are named after.
    if !all.isDisjoint(with: [.control, .alt]), code > 0x7F,
      let base = parameters.subvalue(of: 0, 1), (0x20..<0x7F).contains(base)
    {
      return codepointKey(base, all)
    }
    return codepointKey(code, shifted: parameters.subvalue(of: 0), all)
  }

  /// Returns the key of a code point, the same as in the legacy encoding, so that bindings work in
  /// both.
  /// - Parameter shifted: the code point of the same key with Shift, if the terminal reports it.
  static func codepointKey(
    _ value: Int, shifted: Int? = nil, _ modifiers: Key.Modifiers
  ) -> [InputEvent] {
    switch value {
    case 9: return [.key(Key(.tab, modifiers))]
    case 13, 57414: return [.key(Key(.enter, modifiers))]
    // Legacy encodings have no Escape or Backspace with Shift.
    case 27: return [.key(Key(.escape, modifiers.subtracting(.shift)))]
    case 8, 127: return [.key(Key(.backspace, modifiers.subtracting(.shift)))]
    default: break
    }
    if let code = keypadKey(value) { return [.key(Key(code, modifiers))] }
    let isShifted = modifiers.contains(.shift)
    guard let character = character(isShifted ? shifted ?? value : value) else { return [] }
    guard modifiers.contains(.control) else {
      // The letter includes Shift, as in every other encoding.
      let letter = isShifted ? character.uppercased().first ?? character : character
      return [.key(Key(.character(letter), modifiers.subtracting(.shift)))]
    }
    return [.key(Key(character, withControl: modifiers.subtracting([.control, .shift])))]
  }

  private static func character(_ value: Int) -> Character? {
    guard value >= 0x20, !(0x7F..<0xA0).contains(value), !(0xE000...0xF8FF).contains(value),
      let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init)
    else { return nil }
    return Character(scalar)
  }

  /// Returns the keys of the number pad, which have code points of their own (kitty keyboard
  /// protocol, "Functional key definitions").
  private static func keypadKey(_ value: Int) -> Key.Code? {
    switch value {
    case 57399...57408: .character(Character(Unicode.Scalar(UInt8(value - 57399 + 0x30))))
    case 57409: .character(".")
    case 57410: .character("/")
    case 57411: .character("*")
    case 57412: .character("-")
    case 57413: .character("+")
    case 57415: .character("=")
    case 57416: .character(",")
    case 57417: .left
    case 57418: .right
    case 57419: .up
    case 57420: .down
    case 57421: .pageUp
    case 57422: .pageDown
    case 57423: .home
    case 57424: .end
    case 57425: .insert
    case 57426: .delete
    default: nil
    }
  }
}

extension Key {
  /// Creates a character with Ctrl, equal to the legacy control byte of that chord.
  /// - Parameter others: the other modifiers.
  init(_ character: Character, withControl others: Modifiers) {
    let letter = character.lowercased().first ?? character
    let byte: UInt8? =
      switch letter {
      case " ", "2", "@": 0x00
      case "a"..."z" where letter.isASCII: letter.asciiValue.map { $0 - 0x60 }
      case "3", "[": 0x1B
      case "4", "\\": 0x1C
      case "5", "]": 0x1D
      case "6", "^", "~": 0x1E
      case "7", "/", "_": 0x1F
      case "8", "?": 0x7F
      default: nil
      }
    self = byte.map { Key(controlByte: $0) } ?? Key(.character(letter), .control)
    modifiers.formUnion(others)
  }
}
