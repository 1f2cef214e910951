import Terminal

extension Key {
  /// What holds everywhere, whatever is open, but where keys are only tried out.
  static let alwaysHeld: Set<Key> = [.control("q"), .control("l"), .control("z")]

  /// Whether it is a letter or another sign, as somebody writes.
  var isText: Bool { if case .character = code { modifiers.isEmpty } else { false } }

  /// The character of an Alt chord with one.
  nonisolated var withoutAlt: Key? {
    guard modifiers == .alt, case .character = code else { return nil }
    return Key(code)
  }

  /// The two keys that a terminal sends as this Alt chord when they are pressed quickly: Esc, and a character, a control key
  /// or a function key. Empty for every other key, and for a chord that the person took away from what is typed, or changed
  /// there: Esc is not meant.
  func partsOfChord(by bindings: KeyBindingTable) -> [Key] {
    guard modifiers.contains(.alt),
      bindings.match([self], in: .editing) == KeyBindingTable.natter.match([self], in: .editing)
    else { return [] }
    switch code {
    case .character where modifiers.isSubset(of: [.alt, .control]), .function:
      return [.escape, Key(code, modifiers.subtracting(.alt))]
    // Those with Alt are keys of their own; and nothing is sent by Esc and a quick Enter.
    default: return []
    }
  }
}
