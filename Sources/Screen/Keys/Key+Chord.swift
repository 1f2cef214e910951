import Terminal

extension Key {
  /// The keys that work whatever is open, except where keys are only tried out.
  package static let alwaysHeld: Set<Key> = [.control("q"), .control("l"), .control("z")]

  /// Indicates whether it is a letter or another character of text.
  package var isText: Bool { if case .character = code { modifiers.isEmpty } else { false } }

  /// The character of an Alt chord.
  nonisolated package var withoutAlt: Key? {
    guard modifiers == .alt, case .character = code else { return nil }
    return Key(code)
  }

  /// The two keys that a terminal sends as this Alt chord when they are pressed quickly: Esc, and a
  /// character, a control key or a function key. Empty for every other key, and for a chord whose
  /// editing action the user removed or changed: then Esc is not meant.
  package func partsOfChord(by bindings: KeyBindingTable) -> [Key] {
    guard modifiers.contains(.alt),
      bindings.match([self], in: .editing) == KeyBindingTable.natter.match([self], in: .editing)
    else { return [] }
    switch code {
    case .character where modifiers.isSubset(of: [.alt, .control]), .function:
      return [.escape, Key(code, modifiers.subtracting(.alt))]
    // Other codes with Alt are separate keys; and Esc with a quick Enter must not send anything.
    default: return []
    }
  }
}
