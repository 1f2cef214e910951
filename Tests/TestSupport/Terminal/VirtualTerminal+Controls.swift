extension VirtualTerminal {
  /// A C0 control character.
  mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bells += 1
    case 0x08: move(toColumn: cursor.column - 1)
    case 0x09: tab(1)
    case 0x0a...0x0c:
      index()
      wrapsNext = false
    case 0x0d: move(toColumn: 0)
    case 0x0e: shifted = true
    case 0x0f: shifted = false
    default: break
    }
  }

  /// ESC, intermediates and a final byte.
  mutating func escape(_ intermediates: [UInt8], final: UInt8) {
    let intermediate = String(decoding: intermediates, as: UTF8.self)
    let character = Character(Unicode.Scalar(final))
    switch (intermediate, character) {
    case ("(", _): charsets[0] = character == "0"
    case (")", _): charsets[1] = character == "0"
    case ("*", _), ("+", _), ("%", _), (" ", _): break
    case ("#", "8"):
      var cell = TerminalCell()
      cell.text = "E"
      cells = Array(repeating: Array(repeating: cell, count: columns), count: rows)
    case ("", "7"): saveCursor()
    case ("", "8"): restoreCursor()
    case ("", "D"):
      index()
      wrapsNext = false
    case ("", "E"):
      move(toColumn: 0)
      index()
    case ("", "H"): tabStops[cursor.column] = true
    case ("", "M"):
      reverseIndex()
      wrapsNext = false
    case ("", "c"): reset()
    case ("", "="): hasApplicationKeypad = true
    case ("", ">"): hasApplicationKeypad = false
    case ("", "\\"): break
    default: unknown.append("\\e\(intermediate)\(character)")
    }
  }

  /// The number and text of an OSC sequence.
  mutating func systemCommand(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    switch parts.first {
    case "0", "2": title = parts.count > 1 ? String(parts[1]) : ""
    case "1": break
    case "8":
      let said = parts.count > 1 ? String(parts[1]) : ""
      link = said == ";" ? nil : said
    default: systemCommands.append(text)
    }
  }

  mutating func perform(_ sequence: ControlSequence) {
    if sequence.marker != nil || !sequence.intermediates.isEmpty { return performPrivate(sequence) }
    let count = sequence.number(0)
    switch sequence.final {
    case "@": insertCharacters(count)
    case "A": move(toRow: max(cursor.row - count, cursor.row >= top ? top : 0))
    case "B", "e":
      move(toRow: min(cursor.row + count, cursor.row <= bottom ? bottom : rows - 1))
    case "C", "a": move(toColumn: cursor.column + count)
    case "D": move(toColumn: cursor.column - count)
    case "E":
      move(toRow: min(cursor.row + count, bottom))
      move(toColumn: 0)
    case "F":
      move(toRow: max(cursor.row - count, top))
      move(toColumn: 0)
    case "G", "`": move(toColumn: count - 1)
    case "H", "f":
      move(toRow: count - 1 + (modes.contains(6) ? top : 0))
      move(toColumn: sequence.number(1) - 1)
    case "I": tab(count)
    case "J": eraseDisplay(sequence.number(0, or: 0))
    case "K": eraseLine(sequence.number(0, or: 0))
    case "L": if (top...bottom).contains(cursor.row) { scrollDown(count, from: cursor.row) }
    case "M": if (top...bottom).contains(cursor.row) { scrollUp(count, from: cursor.row) }
    case "P": deleteCharacters(count)
    case "S": scrollUp(count)
    case "T": scrollDown(count)
    case "X": eraseCharacters(count)
    case "Z": tab(-count)
    case "b": if let lastCharacter { for _ in 0..<count { write(lastCharacter) } }
    case "c": answers += Array("\u{1b}[?1;2c".utf8)
    case "d": move(toRow: count - 1 + (modes.contains(6) ? top : 0))
    case "g":
      if sequence.number(0, or: 0) == 3 {
        tabStops = tabStops.map { _ in false }
      } else {
        tabStops[cursor.column] = false
      }
    case "h", "l":
      for mode in sequence.parameters {
        switch mode {
        case 4: isInserting = sequence.final == "h"
        case 34: break  // screen's cursor shape
        default: unknown.append(sequence.text)
        }
      }
    case "m": select(sequence.parameters)
    case "n":
      if count == 5 { answers += Array("\u{1b}[0n".utf8) }
      if count == 6 {
        answers += Array("\u{1b}[\(cursor.row + 1);\(cursor.column + 1)R".utf8)
      }
    case "r":
      let first = count - 1
      let last = min(sequence.number(1, or: rows), rows) - 1
      guard first < last else { return }
      (top, bottom) = (first, last)
      move(toRow: modes.contains(6) ? top : 0)
      move(toColumn: 0)
    case "s": saveCursor()
    case "t": changeTitleStack(sequence)
    case "u": restoreCursor()
    default: unknown.append(sequence.text)
    }
  }

  private mutating func performPrivate(_ sequence: ControlSequence) {
    switch (sequence.marker, sequence.intermediates, sequence.final) {
    case ("?", "", "h"), ("?", "", "l"):
      for mode in sequence.parameters.compactMap({ $0 }) {
        setMode(mode, sequence.final == "h")
      }
    // XTSAVE and XTRESTORE.
    case ("?", "", "s"):
      for mode in sequence.parameters.compactMap({ $0 }) { savedModes[mode] = modes.contains(mode) }
    case ("?", "", "r"):
      for mode in sequence.parameters.compactMap({ $0 }) {
        if let isOn = savedModes[mode] { setMode(mode, isOn) }
      }
    case (nil, " ", "q"): cursorShape = sequence.number(0, or: 0)
    case (nil, "!", "p"): softReset()
    case (">", "", "c"): answers += Array("\u{1b}[>0;276;0c".utf8)
    // The Linux console's cursor, xterm's key options, kitty's and version questions: nothing to
    // see.
    case ("?", "", "c"), (">", "", "m"), (">", "", "q"), ("?", "", "u"), (">", "", "u"),
      ("<", "", "u"), ("?", "", "m"), (nil, "%", "m"):
      break
    case ("?", "$", "p"):
      // DECRPM: of what this knows, whether it is on.
      let mode = sequence.number(0, or: 0)
      let state = mode == 2026 ? (modes.contains(mode) ? 1 : 2) : 0
      answers += Array("\u{1b}[?\(mode);\(state)$y".utf8)
    case ("?", "", "J"): eraseDisplay(sequence.number(0, or: 0))
    case ("?", "", "K"): eraseLine(sequence.number(0, or: 0))
    default: unknown.append(sequence.text)
    }
  }

  private mutating func setMode(_ mode: Int, _ isOn: Bool) {
    if isOn {
      if mode == 2026, held == nil { held = (cells, cursor) }
      modes.insert(mode)
      modesEverSet.insert(mode)
    } else {
      if mode == 2026 { held = nil }
      modes.remove(mode)
    }
    switch mode {
    case 6:
      move(toRow: isOn ? top : 0)
      move(toColumn: 0)
    case 47, 1047: showAlternate(isOn)
    case 1048: if isOn { saveCursor() } else { restoreCursor() }
    case 1049:
      if isOn {
        saveCursor()
        showAlternate(true)
      } else {
        showAlternate(false)
        restoreCursor()
      }
    default: break
    }
  }

  private mutating func softReset() {
    (style, isInserting, hasApplicationKeypad) = (.init(), false, false)
    (top, bottom, charsets, shifted) = (0, rows - 1, [false, false], false)
    modes.subtract([1, 6])
    modes.formUnion([7, 25])
  }

  private mutating func changeTitleStack(_ sequence: ControlSequence) {
    switch (sequence.number(0, or: 0), sequence.number(1, or: 0)) {
    case (22, 0), (22, 2): titleStack.append(title)
    case (23, 0), (23, 2): title = titleStack.popLast() ?? title
    case (22, 1), (23, 1): break
    default: unknown.append(sequence.text)
    }
  }

  private mutating func move(toRow row: Int) {
    let limits = modes.contains(6) ? top...bottom : 0...(rows - 1)
    cursor.row = min(max(row, limits.lowerBound), limits.upperBound)
    wrapsNext = false
  }

  private mutating func move(toColumn column: Int) {
    cursor.column = min(max(column, 0), columns - 1)
    wrapsNext = false
  }

  private mutating func tab(_ count: Int) {
    for _ in 0..<min(abs(count), columns) {
      let stop =
        count > 0
        ? (cursor.column + 1..<columns).first { tabStops[$0] } ?? columns - 1
        : (0..<cursor.column).last { tabStops[$0] } ?? 0
      move(toColumn: max(0, stop))
    }
  }

  private mutating func eraseDisplay(_ part: Int) {
    switch part {
    case 0:
      erase(row: cursor.row, columns: cursor.column..<columns)
      for row in cursor.row + 1..<max(cursor.row + 1, rows) {
        erase(row: row, columns: 0..<columns)
      }
    case 1:
      for row in 0..<cursor.row { erase(row: row, columns: 0..<columns) }
      erase(row: cursor.row, columns: 0..<cursor.column + 1)
    case 2: for row in 0..<rows { erase(row: row, columns: 0..<columns) }
    default: break  // 3: what has scrolled off, which is not kept here
    }
  }

  private mutating func eraseLine(_ part: Int) {
    switch part {
    case 0: erase(row: cursor.row, columns: cursor.column..<columns)
    case 1: erase(row: cursor.row, columns: 0..<cursor.column + 1)
    default: erase(row: cursor.row, columns: 0..<columns)
    }
  }

  /// SGR (ECMA-48 §8.3.117, with xterm's 256 colours and ISO 8613-6 direct colours).
  private mutating func select(_ parameters: [Int?]) {
    var numbers = ArraySlice(parameters.isEmpty ? [0] : parameters.map { $0 ?? 0 })
    while let number = numbers.popFirst() {
      switch number {
      case 0: style = .init()
      case 1: style.attributes.insert(.bold)
      case 2: style.attributes.insert(.dim)
      case 3: style.attributes.insert(.italic)
      case 4, 21: style.attributes.insert(.underline)
      case 5, 6: style.attributes.insert(.blink)
      case 7: style.attributes.insert(.reverse)
      case 8: style.attributes.insert(.invisible)
      case 9: style.attributes.insert(.struck)
      case 10...12: break
      case 22: style.attributes.subtract([.bold, .dim])
      case 23: style.attributes.remove(.italic)
      case 24: style.attributes.remove(.underline)
      case 25: style.attributes.remove(.blink)
      case 27: style.attributes.remove(.reverse)
      case 28: style.attributes.remove(.invisible)
      case 29: style.attributes.remove(.struck)
      case 30...37: style.foreground = .indexed(UInt8(number - 30))
      case 38: if let colour = Self.colour(&numbers) { style.foreground = colour }
      case 39: style.foreground = .standard
      case 40...47: style.background = .indexed(UInt8(number - 40))
      case 48: if let colour = Self.colour(&numbers) { style.background = colour }
      case 49: style.background = .standard
      case 90...97: style.foreground = .indexed(UInt8(number - 82))
      case 100...107: style.background = .indexed(UInt8(number - 92))
      default: unknown.append("\\e[\(number)m")
      }
    }
  }

  private static func colour(_ numbers: inout ArraySlice<Int>) -> TerminalCell.Colour? {
    switch numbers.popFirst() {
    case 5: return numbers.popFirst().map { .indexed(UInt8(clamping: $0)) }
    case 2:
      let parts = numbers.prefix(3).map { UInt8(clamping: $0) }
      numbers = numbers.dropFirst(3)
      return parts.count == 3 ? .rgb(parts[0], parts[1], parts[2]) : nil
    default: return nil
    }
  }
}
