/// Parses one sequence that begins with ESC (ECMA-48 §5.4, and the extensions of terminals).
struct EscapeSequence {
  enum Outcome {
    /// More bytes are needed.
    case incomplete
    /// The events of the sequence (none, if it is unknown), and its length in bytes.
    case events([InputEvent], length: Int)
    case pasteBegins(length: Int)
    /// A report that the program requested.
    case report(TerminalReport, length: Int)
  }

  private let bytes: ArraySlice<UInt8>

  /// - Parameter bytes: begin with ESC; bytes after the sequence are ignored.
  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// - Parameter isFinal: no more bytes will arrive: an unfinished sequence is read as keys, or
  ///   dropped.
  mutating func read(isFinal: Bool) -> Outcome {
    guard let second = byte(1) else {
      return isFinal ? .events([.key(.escape)], length: 1) : .incomplete
    }
    switch second {
    case 0x1B: return readDoubleEscape(isFinal: isFinal)
    case UInt8(ascii: "["):
      return finished(readCSI(at: 2, modifiers: []), alone: second, isFinal: isFinal)
    case UInt8(ascii: "O"):
      return finished(readSS3(at: 2, modifiers: []), alone: second, isFinal: isFinal)
    case UInt8(ascii: "]"):
      return readString(isFinal: isFinal) { (0x30...0x39).contains($0) }
    case UInt8(ascii: "P"):
      return readString(isFinal: isFinal) {
        (0x30...0x39).contains($0) || ">$+!|".utf8.contains($0)
      }
    case UInt8(ascii: "_"):
      return readString(isFinal: isFinal) { $0 == UInt8(ascii: "G") }
    default: return readAltKey(at: 1, isFinal: isFinal)
    }
  }

  private func byte(_ offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[bytes.startIndex + offset] : nil
  }

  /// Converts an interrupted sequence to Alt and its second byte, or to nothing.
  private func finished(_ outcome: Outcome, alone second: UInt8, isFinal: Bool) -> Outcome {
    guard isFinal, case .incomplete = outcome else { return outcome }
    return bytes.count == 2
      ? .events([.key(.alt(Character(Unicode.Scalar(second))))], length: 2)
      : .events([], length: bytes.count)
  }

  // MARK: ESC and a key

  /// Reads ESC ESC: Alt with a cursor key (iTerm2, rxvt), or the Escape key before something else.
  private func readDoubleEscape(isFinal: Bool) -> Outcome {
    let escape = Outcome.events([.key(.escape)], length: 1)
    guard let third = byte(2) else { return isFinal ? escape : .incomplete }
    let outcome: Outcome
    switch third {
    case UInt8(ascii: "["): outcome = readCSI(at: 3, modifiers: .alt)
    case UInt8(ascii: "O"): outcome = readSS3(at: 3, modifiers: .alt)
    default: return escape
    }
    if case .incomplete = outcome { return isFinal ? escape : outcome }
    // A key means that this was Alt. Before a report, the mouse or a paste it was the Escape key.
    guard case .events(let read, _) = outcome, case .key = read.first else { return escape }
    return outcome
  }

  private func readAltKey(at offset: Int, isFinal: Bool) -> Outcome {
    guard let lead = byte(offset) else { return .incomplete }
    if lead == 0x09 {
      // The Linux console's Shift+Tab; no terminal sends Alt+Tab.
      return .events([.key(Key(.tab, .shift))], length: offset + 1)
    }
    if lead < 0x20 || lead == 0x7F {
      var key = Key(controlByte: lead)
      key.modifiers.insert(.alt)
      return .events([.key(key)], length: offset + 1)
    }
    let rest = bytes[(bytes.startIndex + offset)...]
    guard let length = utf8Length(rest) else {
      if !isFinal, let needed = utf8Length(lead: lead), rest.count < needed { return .incomplete }
      return .events([.key(.escape)], length: 1)
    }
    let text = String(decoding: rest.prefix(length), as: UTF8.self)
    return .events(text.first.map { [.key(.alt($0))] } ?? [], length: offset + length)
  }

  /// Reads OSC, DCS and APC strings, which are reports; `ESC ]` by itself is Alt+].
  private func readString(isFinal: Bool, begins: (UInt8) -> Bool) -> Outcome {
    guard let third = byte(2) else {
      return isFinal ? readAltKey(at: 1, isFinal: true) : .incomplete
    }
    guard begins(third) else { return readAltKey(at: 1, isFinal: isFinal) }
    for offset in 3..<max(3, bytes.count) {
      switch byte(offset) {
      case 0x07: return answer(upTo: offset, length: offset + 1)
      case 0x1B:
        // The string ends with ESC \; any other ESC begins another sequence.
        guard let next = byte(offset + 1) else { break }
        return answer(upTo: offset, length: next == UInt8(ascii: "\\") ? offset + 2 : offset)
      case .some(let value) where value < 0x08 || (0x0E..<0x20).contains(value):
        // No string contains these (ECMA-48 §5.6): the user presses keys to leave an unfinished
        // one.
        return .events([], length: offset)
      default: continue
      }
    }
    return isFinal ? .events([], length: bytes.count) : .incomplete
  }

  /// Returns the report of a complete string: the background colour, support of pictures, or
  /// nothing of use.
  private func answer(upTo end: Int, length: Int) -> Outcome {
    let text = String(
      decoding: bytes[(bytes.startIndex + 1)..<(bytes.startIndex + end)], as: UTF8.self)
    if text.hasPrefix("]11;"), let color = Color(xparse: text.dropFirst(4)) {
      return .report(.background(color), length: length)
    }
    // The answer repeats the number of the query (kitty graphics protocol, "Querying support").
    if text.hasPrefix("_G"), text.hasSuffix(";OK"),
      text.dropFirst(2).prefix(while: { $0 != ";" }).split(separator: ",")
        .contains("i=\(TerminalReport.pictureQuestion)")
    {
      return .report(.drawsPictures, length: length)
    }
    return .events([], length: length)
  }

  // MARK: SS3

  private func readSS3(at start: Int, modifiers: Key.Modifiers) -> Outcome {
    // Old VTE and konsole put the modifier between O and the letter: ESC O 5 A, ESC O 1;5 P.
    var offset = start
    while let next = byte(offset), (0x30...0x39).contains(next) || next == UInt8(ascii: ";") {
      offset += 1
    }
    guard let final = byte(offset) else { return .incomplete }
    if final == 0x1B || final < 0x20 || final >= 0x7F {
      // Alt+O, followed by something else.
      return .events([.key(.alt("O"))], length: start)
    }
    let parameters = Parameters(bytes[(bytes.startIndex + start)..<(bytes.startIndex + offset)])
    var held = Key.Modifiers(xterm: parameters.values.last ?? 1).union(modifiers)
    let code: Key.Code?
    switch final {
    case UInt8(ascii: "M"): code = .enter
    case UInt8(ascii: "I"): code = .tab
    case UInt8(ascii: "X"): code = .character("=")
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      // rxvt's Ctrl+arrow.
      code = Self.cursorKey(final - 0x20)
      held.insert(.control)
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // The application keypad.
      code = .character(Character(Unicode.Scalar(final - 0x40)))
    default: code = Self.cursorKey(final)
    }
    return .events(code.map { [.key(Key($0, held))] } ?? [], length: offset + 1)
  }

  /// Returns the keys that both `CSI` and `SS3` encode by one letter.
  private static func cursorKey(_ final: UInt8) -> Key.Code? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "P"): .function(1)
    case UInt8(ascii: "Q"): .function(2)
    case UInt8(ascii: "R"): .function(3)
    case UInt8(ascii: "S"): .function(4)
    default: nil
    }
  }

  // MARK: CSI

  private func readCSI(at start: Int, modifiers: Key.Modifiers) -> Outcome {
    if byte(start) == UInt8(ascii: "[") {
      // The Linux console's F1 to F5.
      guard let final = byte(start + 1) else { return .incomplete }
      let number = Int(final) - 0x40
      return .events(
        (1...5).contains(number) ? [.key(Key(.function(number), modifiers))] : [],
        length: start + 2)
    }
    var offset = start
    while let next = byte(offset), (0x30...0x3F).contains(next) { offset += 1 }
    let parameters = bytes[(bytes.startIndex + start)..<(bytes.startIndex + offset)]
    let isPrivate = (parameters.first ?? 0x30) >= 0x3C
    // rxvt ends its Shift forms with $, which is not a final byte.
    if byte(offset) == UInt8(ascii: "$"), !isPrivate, !parameters.isEmpty {
      return .events(
        tildeKey(Parameters(parameters), modifiers.union(.shift)), length: offset + 1)
    }
    while let next = byte(offset), (0x20...0x2F).contains(next) { offset += 1 }
    guard let final = byte(offset) else { return .incomplete }
    guard (0x40...0x7E).contains(final) else {
      // A control byte interrupts the sequence.
      return .events([], length: offset)
    }
    let length = offset + 1
    if parameters.first == UInt8(ascii: "?"),
      let report = Self.report(
        parameters.dropFirst(), final, hasDollar: byte(offset - 1) == UInt8(ascii: "$"))
    {
      return .report(report, length: length)
    }
    if isPrivate {
      return .events(
        parameters.first == UInt8(ascii: "<") ? mouse(parameters.dropFirst(), final) : [],
        length: length)
    }
    let values = Parameters(parameters)
    if final == UInt8(ascii: "~"), values.values == [200] { return .pasteBegins(length: length) }
    if final == UInt8(ascii: "M"), values.values.isEmpty, let old = oldMouse(at: length) {
      return .events(old, length: length + 3)
    }
    // A report of the cursor position (DSR 6); one for the first row looks like a key.
    if final == UInt8(ascii: "R"), values.values.count == 2, values.values[0] > 1,
      values.values[1] > 0
    {
      let position = Point(row: values.values[0] - 1, column: values.values[1] - 1)
      return .report(.cursor(position), length: length)
    }
    if final == UInt8(ascii: "n"), values.values == [0] {
      return .report(.isReady, length: length)
    }
    if let report = Self.cell(values.values, final) { return .report(report, length: length) }
    return .events(meaning(of: final, values, modifiers), length: length)
  }

  private func meaning(
    of final: UInt8, _ parameters: Parameters, _ modifiers: Key.Modifiers
  ) -> [InputEvent] {
    let values = parameters.values
    let held = Key.Modifiers(xterm: values.count > 1 ? values[1] : 1).union(modifiers)
    func key(_ code: Key.Code, _ more: Key.Modifiers = []) -> [InputEvent] {
      [.key(Key(code, held.union(more)))]
    }
    switch final {
    case UInt8(ascii: "~"): return tildeKey(parameters, modifiers)
    // rxvt's Ctrl, and Ctrl+Shift.
    case UInt8(ascii: "^"): return tildeKey(parameters, modifiers.union(.control))
    case UInt8(ascii: "@"): return tildeKey(parameters, modifiers.union([.control, .shift]))
    case UInt8(ascii: "u"): return Self.kittyKey(parameters, modifiers)
    case UInt8(ascii: "Z"): return key(.tab, .shift)
    case UInt8(ascii: "a")...UInt8(ascii: "d") where values.isEmpty:
      return Self.cursorKey(final - 0x20).map { key($0, .shift) } ?? []
    case UInt8(ascii: "I") where values.isEmpty: return [.focus(true)]
    case UInt8(ascii: "O") where values.isEmpty: return [.focus(false)]
    // st, while its keypad is not in application mode.
    case UInt8(ascii: "P") where values.isEmpty: return key(.delete)
    case UInt8(ascii: "M") where values.isEmpty: return key(.delete, .control)
    case UInt8(ascii: "J") where values.isEmpty: return key(.end, .control)
    case UInt8(ascii: "K") where values == [2]: return key(.delete, .shift)
    case UInt8(ascii: "h") where values == [4]: return key(.insert)
    // A report of the cursor position; those for the first row look like keys.
    case UInt8(ascii: "R") where values.first ?? 1 != 1: return []
    default: return Self.cursorKey(final).map { key($0) } ?? []
    }
  }

  private func tildeKey(_ parameters: Parameters, _ modifiers: Key.Modifiers) -> [InputEvent] {
    let values = parameters.values
    guard let number = values.first else { return [] }
    let held = Key.Modifiers(xterm: values.count > 1 ? values[1] : 1).union(modifiers)
    let code: Key.Code
    switch number {
    case 1, 7: code = .home
    case 2: code = .insert
    case 3: code = .delete
    case 4, 8: code = .end
    case 5: code = .pageUp
    case 6: code = .pageDown
    case 11...15: code = .function(number - 10)
    case 17...21: code = .function(number - 11)
    case 23...26: code = .function(number - 12)
    case 28, 29: code = .function(number - 13)
    case 31...34: code = .function(number - 14)
    case 27 where values.count == 3:
      // xterm's modifyOtherKeys.
      return Self.codepointKey(values[2], held)
    default: return []
    }
    return [.key(Key(code, held))]
  }

  // MARK: Mouse

  /// Reads `CSI < buttons ; column ; row M` or `m` (mode 1006).
  private func mouse(_ parameters: ArraySlice<UInt8>, _ final: UInt8) -> [InputEvent] {
    let values = Parameters(parameters).values
    guard values.count == 3, final == UInt8(ascii: "M") || final == UInt8(ascii: "m") else {
      return []
    }
    return mouse(values[0], values[1], values[2], isRelease: final == UInt8(ascii: "m"))
  }

  /// Reads the report of terminals without mode 1006: three bytes after `CSI M`.
  private func oldMouse(at start: Int) -> [InputEvent]? {
    guard let buttons = byte(start), let column = byte(start + 1), let row = byte(start + 2),
      buttons >= 0x20, column > 0x20, row > 0x20
    else { return nil }
    let state = Int(buttons) - 0x20
    return mouse(
      state, Int(column) - 0x20, Int(row) - 0x20, isRelease: state & 3 == 3 && state & 0x60 == 0)
  }

  private func mouse(
    _ state: Int, _ column: Int, _ row: Int, isRelease: Bool
  ) -> [InputEvent] {
    var modifiers: Key.Modifiers = []
    if state & 4 != 0 { modifiers.insert(.shift) }
    if state & 8 != 0 { modifiers.insert(.alt) }
    if state & 16 != 0 { modifiers.insert(.control) }
    let at = Point(row: max(0, row - 1), column: max(0, column - 1))
    let button = state & 3
    let action: MouseEvent.Action
    if state & 128 != 0 {
      return []
    } else if state & 64 != 0 {
      guard button < 2, !isRelease else { return [] }
      action = button == 0 ? .wheelUp : .wheelDown
      return [.mouse(MouseEvent(action, button: 0, at: at, modifiers: modifiers))]
    } else if state & 32 != 0 {
      guard button < 3 else { return [] }
      action = .drag
    } else {
      action = isRelease ? .release : .press
    }
    return [
      .mouse(MouseEvent(action, button: button == 3 ? 1 : button + 1, at: at, modifiers: modifiers))
    ]
  }
}

/// The parameters of a control sequence.
struct Parameters {
  /// One number per parameter; missing ones are 1, their default in all sequences here.
  var values: [Int] = []
  /// The subparameters after the colons of each parameter.
  private var subvalues: [[Int?]] = []

  init(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return }
    for field in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      let parts = field.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      values.append(parts.first.flatMap(Self.number) ?? 1)
      subvalues.append(parts.dropFirst().map(Self.number))
    }
  }

  /// Returns the subparameter with this number, from 0, of a parameter.
  func subvalue(of index: Int, _ number: Int = 0) -> Int? {
    guard index < subvalues.count, number < subvalues[index].count else { return nil }
    return subvalues[index][number]
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: digits.prefix(9), as: UTF8.self))
  }
}

extension Key.Modifiers {
  /// Creates the modifiers from xterm's and kitty's number: one more than the sum of Shift 1, Alt
  /// 2, Ctrl 4 (Meta 32 counts as Alt).
  init(xterm number: Int) {
    let bits = max(0, number - 1)
    self = []
    if bits & 1 != 0 { insert(.shift) }
    if bits & (2 | 32) != 0 { insert(.alt) }
    if bits & 4 != 0 { insert(.control) }
  }
}
