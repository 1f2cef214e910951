import Terminal

extension Key {
  /// What holds everywhere, whatever is open, but where keys are only tried out.
  static let alwaysHeld: Set<Key> = [.control("q"), .control("l"), .control("z")]

  /// Whether it is a letter or another sign, as somebody writes.
  var isText: Bool { if case .character = code { modifiers.isEmpty } else { false } }

  /// The two keys that a terminal sends as this Alt chord when they are pressed quickly: Esc and a character. Empty for
  /// every other key, and for a chord that the person took away from what is typed, or changed there: Esc is not meant.
  func partsOfChord(by bindings: KeyBindingTable) -> [Key] {
    guard modifiers == .alt, case .character = code,
      bindings.match([self], in: .editing) == KeyBindingTable.natter.match([self], in: .editing)
    else { return [] }
    return [.escape, Key(code)]
  }
}
