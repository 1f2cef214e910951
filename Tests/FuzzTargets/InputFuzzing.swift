import Terminal

/// The input of a terminal: the first byte is the seed of its division into reads, and of the time
/// between them.
///
/// The events edit a line as the program's input does.
enum InputFuzzing {
  @Sendable static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let seed = input.byte()
    var numbers = SeededNumbers(seed)
    var decoder = InputDecoder()
    var editor = LineEditor()
    var now = ContinuousClock.now
    var pasted = 0
    func take(_ events: [InputEvent]) throws {
      for event in events {
        switch event {
        case .key(let key): edit(&editor, key)
        case .paste(let text):
          try require(!text.utf8.contains(0x0D), "a paste with a carriage return")
          // What is not UTF-8 has become U+FFFD, three bytes for one.
          pasted += text.utf8.count
          editor.paste(text)
        case .mouse, .focus, .hangup: break
        }
        try check(editor)
      }
      _ = decoder.takeReports()
    }
    for piece in Array(input.rest).pieces(seed: seed, longest: 24) {
      try take(decoder.feed(piece, at: now))
      now += .milliseconds([0, 1, 20, 60, 600, 6000][numbers.next(below: 6)])
      if let deadline = decoder.pendingDeadline, deadline <= now {
        try take(decoder.expire(at: now))
        try require(
          decoder.pendingDeadline.map { $0 > now } ?? true, "the deadline stays in the past")
      }
    }
    let last = decoder.end()
    try require(last.last == .hangup, "no end")
    try take(last)
    try require(pasted <= 3 * bytes.count, "more was pasted than came")
  }

  private static func check(_ editor: LineEditor) throws {
    let text = editor.text
    try require((0...text.utf8.count).contains(editor.cursor), "the cursor is outside of the text")
    let index = text.utf8.index(text.startIndex, offsetBy: editor.cursor)
    try require(
      index.samePosition(in: text.unicodeScalars) != nil, "the cursor is inside a character")
  }

  /// The keys of the input as the program's own key file has them, as far as they edit.
  private static func edit(_ editor: inout LineEditor, _ key: Key) {
    switch (key.code, key.modifiers) {
    case (.character(let character), []): editor.insert(String(character))
    case (.character(let character), .control): control(&editor, character)
    case (.character(let character), .alt): alt(&editor, character)
    case (.character, _): break
    case (.left, []): _ = editor.moveLeft()
    case (.right, []): _ = editor.moveRight()
    case (.left, _): editor.moveWordLeft()
    case (.right, _): editor.moveWordRight()
    case (.up, _): _ = editor.moveUp(width: 11)
    case (.down, _): _ = editor.moveDown(width: 11)
    case (.home, []): editor.moveToLineStart()
    case (.end, []): editor.moveToLineEnd()
    case (.home, _): editor.moveToStart()
    case (.end, _): editor.moveToEnd()
    case (.backspace, _): _ = editor.deleteBackward()
    case (.delete, _): _ = editor.deleteForward()
    case (.enter, _): editor.insertNewline()
    case (.tab, _): editor.insert("\t")
    case (.pageUp, _): _ = editor.undoGroup()
    case (.pageDown, _): _ = editor.redoGroup()
    case (.escape, _): editor.beginUndoGroup()
    case (.insert, _): editor.remember(editor.text)
    case (.function(let number), _): function(&editor, number)
    }
  }

  private static func control(_ editor: inout LineEditor, _ character: Character) {
    switch character {
    case "w": editor.killToBlank()
    case "u": editor.killToLineStart()
    case "k": editor.killToLineEnd()
    case "y": editor.yank()
    case "t": editor.transpose()
    case "a": editor.moveToLineStart()
    case "e": editor.moveToLineEnd()
    case "z", "_": _ = editor.undo()
    case "r": _ = editor.redo()
    case "c": editor.clear()
    case "l": editor.reset()
    default: break
    }
  }

  private static func alt(_ editor: inout LineEditor, _ character: Character) {
    switch character {
    case "d": editor.killWordForward()
    case "l": editor.lowercaseWord()
    case "u": editor.uppercaseWord()
    case "c": editor.capitalize()
    case "t": editor.transposeWords()
    case "r": editor.revert()
    default: editor.killWordBackward()
    }
  }

  /// The positions of the text on the screen.
  private static func function(_ editor: inout LineEditor, _ number: Int) {
    let layout = editor.layout(width: max(1, number % 40))
    for row in 0..<min(layout.rows.count, 40) {
      editor.moveCursor(to: layout.offset(at: Point(row: row, column: number % 7)))
    }
  }
}
