import Terminal

// The actions that edit text, the same in every text field: in the input line, in forms, in the
// query line of an overlay.
nonisolated extension LineEditor {
  /// Runs the action of an editing key, or inserts the character that is typed.
  /// - Parameter bindings: the current bindings; only those of `editing` are searched.
  /// - Returns: whether `key` is one.
  package mutating func take(_ key: Key, by bindings: KeyBindingTable) -> Bool {
    if let action = bindings.editing(key) { return perform(action) }
    guard key.modifiers.subtracting(.shift).isEmpty, case .character(let character) = key.code
    else { return false }
    insert(String(character))
    return true
  }

  /// Applies an action to the text.
  /// - Returns: whether it is an editing action.
  package mutating func perform(_ action: KeyAction) -> Bool {
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
  /// The editing action of a key in every text field; `nil`: none.
  package func editing(_ key: Key) -> KeyAction? {
    for pressed in [key, key.editing] {
      if case .action(let action) = match([pressed], in: .editing) { return action }
    }
    return nil
  }

  /// Returns whether a key goes to a text field before global bindings: Home and End, unless the
  /// input line binds them.
  package func leavesToText(_ key: Key) -> Bool {
    guard key == Key(.home) || key == Key(.end) else { return false }
    return !bindings(in: .input).contains { $0.sequences.contains { $0.first == key } }
  }
}

extension Key {
  /// The key that is looked up if this one has no binding: Shift does not matter except for
  /// letters, and ^H is Backspace, even if a terminal distinguishes the two.
  nonisolated fileprivate var editing: Key {
    if self == .control("h") { return Key(.backspace) }
    if case .character = code { return self }
    return modifiers == .shift ? Key(code) : self
  }
}
