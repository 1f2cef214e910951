import Terminal

/// vi's keys in the input line, for those who have set `ui.keys` to `vi`: what is typed is text until Esc, then letters move
/// and change until `i` and its like.
nonisolated struct ViEditing: Hashable, Sendable {
  enum Mode: Hashable, Sendable { case insert, normal }

  private(set) var mode = Mode.insert
  /// An operator that waits for its motion: `d`, `c`, `y`.
  private var waiting: Character?

  /// Begins anew, as after a line was sent.
  mutating func reset() {
    mode = .insert
    waiting = nil
  }

  /// Does what `key` means.
  /// - Returns: whether it was taken; in the normal mode every letter is.
  mutating func take(_ key: Key, in editor: inout LineEditor) -> Bool {
    if mode == .insert {
      guard key == .escape else { return false }
      mode = .normal
      editor.moveLeft()
      return true
    }
    guard key.modifiers.isEmpty else { return false }
    switch key.code {
    case .character(let letter):
      if let operation = waiting {
        waiting = nil
        perform(operation, letter, in: &editor)
      } else {
        command(letter, in: &editor)
      }
    case .backspace: editor.moveLeft()
    case .escape where waiting != nil: waiting = nil
    default: return false
    }
    return true
  }

  private mutating func command(_ letter: Character, in editor: inout LineEditor) {
    if move(letter, in: &editor) { return }
    switch letter {
    case "i": mode = .insert
    case "a":
      editor.moveRight()
      mode = .insert
    case "I":
      editor.moveToLineStart()
      mode = .insert
    case "A":
      editor.moveToLineEnd()
      mode = .insert
    case "o":
      editor.moveToLineEnd()
      editor.insertNewline()
      mode = .insert
    case "x": editor.deleteForward()
    case "X": editor.deleteBackward()
    case "s":
      editor.deleteForward()
      mode = .insert
    case "D": editor.killToLineEnd()
    case "C":
      editor.killToLineEnd()
      mode = .insert
    case "S": perform("c", "c", in: &editor)
    case "p", "P":
      if letter == "p" { editor.moveRight() }
      editor.yank()
    case "u": editor.undo()
    case "d", "c", "y": waiting = letter
    // A command is begun as everywhere.
    case "/" where editor.isEmpty:
      mode = .insert
      editor.insert("/")
    default: break
    }
  }

  /// - Returns: whether `letter` is a motion.
  private func move(_ letter: Character, in editor: inout LineEditor) -> Bool {
    switch letter {
    case "h": editor.moveLeft()
    case "l", " ": editor.moveRight()
    case "0", "^": editor.moveToLineStart()
    case "$": editor.moveToLineEnd()
    case "w", "W": Self.moveToNextWord(in: &editor)
    case "e", "E": editor.moveWordRight()
    case "b", "B": editor.moveWordLeft()
    default: return false
    }
    return true
  }

  /// To where the next word begins, or a run of other signs.
  private static func moveToNextWord(in editor: inout LineEditor) {
    func kind(_ character: Character) -> Int {
      character.isWhitespace
        ? 0 : character.isLetter || character.isNumber || character == "_" ? 1 : 2
    }
    let text = editor.text
    var rest = text[text.utf8.index(text.startIndex, offsetBy: editor.cursor)...]
    if let here = rest.first.map(kind), here != 0 { rest = rest.drop { kind($0) == here } }
    rest = rest.drop { kind($0) == 0 }
    editor.moveCursor(to: text.utf8.distance(from: text.startIndex, to: rest.startIndex))
  }

  /// An operator and its motion; twice the operator is the whole line.
  private mutating func perform(
    _ operation: Character, _ motion: Character, in editor: inout LineEditor
  ) {
    let start: Int
    let end: Int
    let cursor = editor.cursor
    if motion == operation {
      editor.moveToLineStart()
      start = editor.cursor
      editor.moveToLineEnd()
      end = editor.cursor
    } else {
      // As in vi, what is changed is the word alone, not the blank behind it.
      let isWord = operation == "c" && (motion == "w" || motion == "W")
      guard move(isWord ? "e" : motion, in: &editor) else { return }
      (start, end) = (min(cursor, editor.cursor), max(cursor, editor.cursor))
    }
    let text = Array(editor.text.utf8)[start..<end]
    editor.remember(String(decoding: text, as: UTF8.self))
    guard operation != "y" else {
      editor.moveCursor(to: start)
      return
    }
    editor.replaceText(start..<end, with: "")
    if operation == "c" { mode = .insert }
  }
}
