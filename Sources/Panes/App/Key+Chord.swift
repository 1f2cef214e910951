import Terminal

extension Key {
  /// What holds everywhere, whatever is open, but where keys are only tried out.
  static let alwaysHeld: Set<Key> = [.control("q"), .control("l"), .control("z")]

  /// Whether it is a letter or another sign, as somebody writes.
  var isText: Bool { if case .character = code { modifiers.isEmpty } else { false } }

  /// The two keys that a terminal sends as this Alt chord when they are pressed quickly: Esc and a character. Empty for
  /// every other key.
  var partsOfChord: [Key] {
    guard modifiers == .alt, case .character = code else { return [] }
    return [.escape, Key(code)]
  }
}
