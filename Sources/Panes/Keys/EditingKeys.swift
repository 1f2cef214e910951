import Terminal

// The keys of readline, the same wherever text is typed.
nonisolated extension LineEditor {
  /// Does what an editing key means (UX.md 2.4 "Input line").
  /// - Returns: whether `key` is one; a character that is typed is.
  mutating func take(_ key: Key) -> Bool {
    if key.modifiers.isEmpty || key.modifiers == .shift { return editPlain(key) }
    if key.modifiers == .control { return editControl(key.code) }
    if key.modifiers == .alt { return editAlt(key.code) }
    return false
  }

  private mutating func editPlain(_ key: Key) -> Bool {
    switch key.code {
    case .character(let character): insert(String(character))
    case .backspace: deleteBackward()
    case .delete: deleteForward()
    case .left: moveLeft()
    case .right: moveRight()
    case .home: moveToLineStart()
    case .end: moveToLineEnd()
    default: return false
    }
    return true
  }

  private mutating func editControl(_ code: Key.Code) -> Bool {
    switch code {
    case .character("a"): moveToLineStart()
    case .character("e"): moveToLineEnd()
    case .character("b"): moveLeft()
    case .character("d"): deleteForward()
    case .character("h"), .backspace: deleteBackward()
    case .character("w"): killToBlank()
    case .character("u"): killToLineStart()
    case .character("k"): killToLineEnd()
    case .character("y"): yank()
    case .character("t"): transpose()
    case .character("_"): undo()
    case .left: moveWordLeft()
    case .right: moveWordRight()
    default: return false
    }
    return true
  }

  private mutating func editAlt(_ code: Key.Code) -> Bool {
    switch code {
    case .character("b"), .left: moveWordLeft()
    case .character("f"), .right: moveWordRight()
    case .character("d"): killWordForward()
    case .backspace: killWordBackward()
    case .character("c"): capitalize()
    case .character("_"): redo()
    default: return false
    }
    return true
  }
}
