import Terminal

extension Key {
  /// The two keys that a terminal sends as this Alt chord when they are pressed quickly: Esc and a character. Empty for
  /// every other key.
  var partsOfChord: [Key] {
    guard modifiers == .alt, case .character = code else { return [] }
    return [.escape, Key(code)]
  }
}
