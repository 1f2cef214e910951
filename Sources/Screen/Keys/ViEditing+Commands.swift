import Terminal

// The effects of the commands.
nonisolated extension ViEditing {
  /// The position that a motion leads to, and the extent of the text for an operator.
  private struct Target {
    enum Extent { case exclusive, inclusive, lines }
    var position: Int
    var extent = Extent.exclusive
  }

  mutating func run(_ command: ViCommand, in editor: inout LineEditor) -> Outcome {
    let text = ViText(editor)
    if let operation = command.operation {
      operate(operation, command, text, &editor)
      return .taken
    }
    if command.first == nil {
      switch command.letter {
      case "j", "+": return .down(command.count)
      case "k", "-": return .up(command.count)
      default: break
      }
    }
    if let target = target(of: command, in: text) {
      editor.moveCursor(to: text.offset(target.position))
    } else if command.first == "r" {
      replace(command, text, &editor)
    } else if command.first == nil {
      change(command, text, &editor)
    }
    return .taken
  }

  // MARK: Motions

  private mutating func target(of command: ViCommand, in text: ViText) -> Target? {
    let (cursor, count) = (text.cursor, command.count)
    let isWide = command.letter.isUppercase
    func times(_ step: (Int) -> Int) -> Int {
      (0..<count).reduce(cursor) { position, _ in step(position) }
    }
    switch (command.first, command.letter) {
    case ("f", let wanted), ("F", let wanted), ("t", let wanted), ("T", let wanted):
      let find = Find(letter: command.first ?? "f", wanted: wanted)
      lastFind = find
      return self.find(find, count, in: text)
    case ("g", "g"):
      return Target(position: text.firstWord(text.line(number: count)), extent: .lines)
    case (nil, let letter):
      switch letter {
      case "h": return Target(position: max(text.lineStart(cursor), cursor - count))
      case "l", " ": return Target(position: min(text.lineEnd(cursor), cursor + count))
      case "0": return Target(position: text.lineStart(cursor))
      case "^": return Target(position: text.firstWord(cursor))
      case "$":
        let line = text.line(count - 1, from: cursor) ?? cursor
        return Target(position: text.lineEnd(line))
      case "w", "W": return Target(position: times { text.nextWord($0, wide: isWide) })
      case "b", "B": return Target(position: times { text.wordStart($0, wide: isWide) })
      case "e", "E":
        return Target(position: times { text.wordEnd($0, wide: isWide) }, extent: .inclusive)
      case "G":
        return Target(
          position: text.firstWord(text.line(number: command.times ?? .max / 2)), extent: .lines)
      case ";": return lastFind.flatMap { find($0, count, in: text, again: true) }
      case ",":
        return lastFind.flatMap { last in
          let letter = last.letter.isUppercase ? last.letter.lowercased() : last.letter.uppercased()
          return find(
            Find(letter: Character(letter), wanted: last.wanted), count, in: text, again: true)
        }
      default: return nil
      }
    default: return nil
    }
  }

  /// - Parameter again: with `;` and `,`, a match next to the cursor is skipped.
  private func find(_ find: Find, _ count: Int, in text: ViText, again: Bool = false) -> Target? {
    let forward = find.letter.isLowercase
    let isTill = find.letter == "t" || find.letter == "T"
    let before = forward ? -1 : 1
    let next = text.cursor - before
    let start =
      again && isTill && neighbour(of: text, at: next) == find.wanted ? next : text.cursor
    return text.find(find.wanted, from: start, forward: forward, number: count).map {
      Target(
        position: isTill ? $0 + before : $0, extent: forward ? .inclusive : .exclusive)
    }
  }

  private func neighbour(of text: ViText, at position: Int) -> Character? {
    text.characters.indices.contains(position) ? text.characters[position] : nil
  }

  // MARK: Operators

  private mutating func operate(
    _ operation: Character, _ command: ViCommand, _ text: ViText, _ editor: inout LineEditor
  ) {
    let cursor = text.cursor
    if command.first == "i" || command.first == "a" {
      guard command.letter == "w" || command.letter == "W" else { return }
      return take(
        operation,
        text.word(cursor, wide: command.letter == "W", around: command.first == "a"),
        text, &editor)
    }
    if command.first == nil {
      switch command.letter {
      case operation:
        return takeLines(operation, to: command.count - 1, clamps: true, text, &editor)
      case "j", "+": return takeLines(operation, to: command.count, text, &editor)
      case "k", "-": return takeLines(operation, to: -command.count, text, &editor)
      case "w" where operation == "c", "W" where operation == "c":
        // `cw` changes only the word, not the blank after it.
        if cursor < text.count, !text.characters[cursor].isWhitespace {
          let isWide = command.letter == "W"
          let end = (0..<command.count).reduce(cursor - 1) { position, step in
            step == 0
              ? text.word(cursor, wide: isWide, around: false).upperBound - 1
              : text.wordEnd(position, wide: isWide)
          }
          return take(operation, cursor..<min(text.count, end + 1), text, &editor)
        }
      default: break
      }
    }
    guard let target = target(of: command, in: text) else { return }
    if target.extent == .lines {
      let (first, last) = (min(cursor, target.position), max(cursor, target.position))
      return takeLines(operation, text.lineStart(first)..<text.lineEnd(last), text, &editor)
    }
    var (start, end) = (min(cursor, target.position), max(cursor, target.position))
    if target.extent == .inclusive { end = min(text.count, end + 1) }
    // The last word of a line excludes the line ending.
    if command.letter == "w" || command.letter == "W", command.first == nil {
      let last = text.characters[start..<end].lastIndex { !$0.isWhitespace }
      end = min(end, text.lineEnd(last ?? start))
    }
    take(operation, start..<end, text, &editor)
  }

  private mutating func take(
    _ operation: Character, _ range: Range<Int>, _ text: ViText, _ editor: inout LineEditor
  ) {
    if !range.isEmpty { keep(Register(text: text.text(range)), &editor) }
    let start = text.offset(range.lowerBound)
    if operation == "y" { return editor.moveCursor(to: start) }
    isChange = true
    if range.isEmpty {
      editor.moveCursor(to: start)
    } else {
      editor.replaceText(start..<text.offset(range.upperBound), with: "")
    }
    if operation == "c" { mode = .insert }
  }

  private mutating func takeLines(
    _ operation: Character, to step: Int, clamps: Bool = false, _ text: ViText,
    _ editor: inout LineEditor
  ) {
    let here = text.lineStart(text.cursor)
    // `dj` in the last line does nothing; `5dd` takes as many lines as there are.
    let last = clamps ? text.line(number: .max / 2) : nil
    guard let other = text.line(step, from: here) ?? last else { return }
    takeLines(
      operation, min(here, other)..<text.lineEnd(max(here, other)), text, &editor)
  }

  /// - Parameter lines: from the start of the first one to the end of the last one, without its
  ///   line ending.
  private mutating func takeLines(
    _ operation: Character, _ lines: Range<Int>, _ text: ViText, _ editor: inout LineEditor
  ) {
    keep(Register(text: text.text(lines), isLines: true), &editor)
    switch operation {
    case "y":
      // Copying down leaves the cursor where it is.
      if text.cursor > lines.upperBound || text.lineStart(text.cursor) != lines.lowerBound {
        editor.moveCursor(to: text.offset(lines.lowerBound))
      }
    case "c":
      editor.replaceText(text.offset(lines.lowerBound)..<text.offset(lines.upperBound), with: "")
      (isChange, mode) = (true, .insert)
    default:
      isChange = true
      var range = lines
      if range.upperBound < text.count {
        range = range.lowerBound..<range.upperBound + 1
      } else if range.lowerBound > 0 {
        range = range.lowerBound - 1..<range.upperBound
      }
      editor.replaceText(text.offset(range.lowerBound)..<text.offset(range.upperBound), with: "")
      let after = ViText(editor)
      editor.moveCursor(to: after.offset(after.firstWord(min(lines.lowerBound, after.cursor))))
    }
  }

  /// Stores it for `p`, and for the key that pastes the last cut in insert mode.
  private mutating func keep(_ register: Register, _ editor: inout LineEditor) {
    self.register = register
    editor.remember(register.text)
  }

  // MARK: Changes

  private mutating func change(
    _ command: ViCommand, _ text: ViText, _ editor: inout LineEditor
  ) {
    let (cursor, count) = (text.cursor, command.count)
    func insert(at position: Int? = nil) {
      if let position { editor.moveCursor(to: text.offset(position)) }
      (mode, isChange) = (.insert, true)
    }
    func operate(_ operation: Character, _ letter: Character) {
      self.operate(
        operation,
        ViCommand(letter: letter, first: nil, operation: operation, times: command.times), text,
        &editor)
    }
    switch command.letter {
    case "i": insert()
    case "a": insert(at: min(text.lineEnd(cursor), cursor + 1))
    case "I": insert(at: text.firstWord(cursor))
    case "A": insert(at: text.lineEnd(cursor))
    case "o":
      insert(at: text.lineEnd(cursor))
      editor.insertNewline()
    case "O":
      insert(at: text.lineStart(cursor))
      editor.insertNewline()
      editor.moveLeft()
    case "x": if cursor < text.lineEnd(cursor) { operate("d", "l") }
    case "X": if cursor > text.lineStart(cursor) { operate("d", "h") }
    case "s": operate("c", "l")
    case "D": operate("d", "$")
    case "C": operate("c", "$")
    case "Y": operate("y", "y")
    case "S": operate("c", "c")
    case "p", "P": put(command, text, &editor)
    case "~":
      let end = min(text.lineEnd(cursor), cursor + count)
      guard cursor < end else { return }
      let turned = text.characters[cursor..<end].map {
        $0.isUppercase ? $0.lowercased() : $0.uppercased()
      }.joined()
      editor.replaceText(text.offset(cursor)..<text.offset(end), with: turned)
      isChange = true
    case "J": join(count, text, &editor)
    case "u": for _ in 0..<count where !editor.undoGroup() { break }
    case ".": repeatChange(command.times, in: &editor)
    // A slash command starts as in the other key sets.
    case "/" where editor.isEmpty:
      insert()
      editor.insert("/")
    default: break
    }
  }

  private mutating func put(_ command: ViCommand, _ text: ViText, _ editor: inout LineEditor) {
    guard !register.text.isEmpty || register.isLines else { return }
    isChange = true
    let isAfter = command.letter == "p"
    let cursor = text.cursor
    // Limits the copies: the text has to stay short enough to be sent.
    let most = max(1, Self.mostInserted / max(1, register.text.utf8.count))
    let copies = Array(repeating: register.text, count: min(command.count, most))
    if register.isLines {
      let lines = copies.joined(separator: "\n")
      let position = isAfter ? text.lineEnd(cursor) : text.lineStart(cursor)
      let offset = text.offset(position)
      editor.replaceText(offset..<offset, with: isAfter ? "\n" + lines : lines + "\n")
      let after = ViText(editor)
      editor.moveCursor(to: after.offset(after.firstWord(isAfter ? position + 1 : position)))
    } else {
      let offset = text.offset(isAfter ? min(text.lineEnd(cursor), cursor + 1) : cursor)
      editor.replaceText(offset..<offset, with: copies.joined())
      editor.moveLeft()
    }
  }

  private mutating func replace(
    _ command: ViCommand, _ text: ViText, _ editor: inout LineEditor
  ) {
    let end = text.cursor + command.count
    guard end <= text.lineEnd(text.cursor) else { return }
    editor.replaceText(
      text.offset(text.cursor)..<text.offset(end),
      with: String(repeating: command.letter, count: command.count))
    editor.moveLeft()
    isChange = true
  }

  /// Joins the lines below to this one, with one blank in between.
  private mutating func join(_ count: Int, _ text: ViText, _ editor: inout LineEditor) {
    for _ in 0..<max(1, count - 1) {
      let text = ViText(editor)
      let end = text.lineEnd(text.cursor)
      guard end < text.count else { return }
      let next = text.firstWord(end + 1)
      let isEmpty = next == text.lineEnd(end + 1)
      editor.replaceText(text.offset(end)..<text.offset(next), with: isEmpty ? "" : " ")
      isChange = true
      if !isEmpty { editor.moveLeft() }
    }
  }
}
