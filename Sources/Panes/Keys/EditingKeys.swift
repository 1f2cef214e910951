import Terminal

// The actions that change text, the same wherever text is typed: in the input line, in forms, in the line of an overlay.
nonisolated extension LineEditor {
  /// Does what an editing key means, or puts in the character that is typed.
  /// - Parameter bindings: the keys that hold; those of `editing` alone are looked at.
  /// - Returns: whether `key` is one.
  mutating func take(_ key: Key, by bindings: KeyBindingTable) -> Bool {
    if let action = bindings.editing(key) { return perform(action) }
    guard key.modifiers.subtracting(.shift).isEmpty, case .character(let character) = key.code
    else { return false }
    insert(String(character))
    return true
  }

  /// Does an action to the text.
  /// - Returns: whether it is one that does anything to a text.
  mutating func perform(_ action: KeyAction) -> Bool {
    switch action {
    case .lineStart: moveToLineStart()
    case .lineEnd: moveToLineEnd()
    case .backwardCharacter: moveLeft()
    case .forwardCharacter: moveRight()
    case .backwardWord: moveWordLeft()
    case .forwardWord: moveWordRight()
    case .deleteBackward: deleteBackward()
    case .deleteForward: deleteForward()
    case .cutToBlank: killToBlank()
    case .cutWordBackward: killWordBackward()
    case .cutWordForward: killWordForward()
    case .cutToLineStart: killToLineStart()
    case .cutToLineEnd: killToLineEnd()
    case .yank: yank()
    case .transpose: transpose()
    case .transposeWords: transposeWords()
    case .capitalizeWord: capitalize()
    case .lowerWord: lowercaseWord()
    case .upperWord: uppercaseWord()
    case .undo: undo()
    case .redo: redo()
    case .revertLine: revert()
    default: return false
    }
    return true
  }
}

nonisolated extension KeyBindingTable {
  /// What a key does to a text, wherever it is typed; `nil`: nothing.
  func editing(_ key: Key) -> KeyAction? {
    for pressed in [key, key.editing] {
      if case .action(let action) = match([pressed], in: .editing) { return action }
    }
    return nil
  }

  /// Whether a key is the text's before anything that is bound everywhere: Home and End, unless the input line has them.
  func leavesToText(_ key: Key) -> Bool {
    guard key == Key(.home) || key == Key(.end) else { return false }
    return !bindings(in: .input).contains { $0.sequences.contains { $0.first == key } }
  }
}

extension Key {
  /// The key that holds where it has no binding itself: Shift changes nothing where it is not in the letter, and ^H is Backspace,
  /// also where a terminal tells the two apart.
  nonisolated fileprivate var editing: Key {
    if self == .control("h") { return Key(.backspace) }
    if case .character = code { return self }
    return modifiers == .shift ? Key(code) : self
  }
}
