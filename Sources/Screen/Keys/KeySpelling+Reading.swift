import Terminal
import Text

// The reverse of the spelling, for keys that are shown and clicked on.
nonisolated extension KeySpelling {
  /// The presses that are spelled as `text`, such as `^X ?`; `nil`: these are no keys.
  package func keys(_ text: String) -> [Key]? {
    var keys: [Key] = []
    for word in text.split(separator: " ") {
      guard let (key, rest) = read(word), rest.isEmpty else { return nil }
      keys.append(key)
    }
    return keys.isEmpty ? nil : keys
  }

  /// The key at the beginning of `text`, as in `Esc close`; `nil`: there is none.
  package func firstKey(in text: String) -> Key? { read(Substring(text))?.key }

  private func read(_ text: Substring) -> (key: Key, rest: Substring)? {
    if text.first == "^", let character = text.dropFirst().first, character != " " {
      return (.control(Self.lowercased(character)), text.dropFirst(2))
    }
    var modifiers: Key.Modifiers = []
    var rest = text
    for (name, modifier) in [
      ("ctrl", Key.Modifiers.control), ("alt", .alt), ("shift", .shift),
    ] {
      let word = localizer("keyname." + name) + "+"
      guard rest.hasPrefix(word) else { continue }
      modifiers.insert(modifier)
      rest = rest.dropFirst(word.count)
    }
    // The longest match: a name may begin with another one.
    let named = Self.named.map { (code: $0, name: name($0)) }
      .filter { rest.hasPrefix($0.name) && Self.ends($0.name, before: rest) }
      .max { $0.name.count < $1.name.count }
    if let named { return (Key(named.code, modifiers), rest.dropFirst(named.name.count)) }
    guard let character = rest.first, character != " " else { return nil }
    rest = rest.dropFirst()
    // A single letter has to be on its own: it may be the first of a word.
    guard rest.first.map({ modifiers.isEmpty ? $0 == " " : !$0.isLetter }) ?? true else {
      return nil
    }
    let letter = modifiers.isEmpty ? character : Self.lowercased(character)
    return (Key(.character(letter), modifiers), rest)
  }

  // Chinese has no blank between a key and its description.
  private static func ends(_ name: String, before text: Substring) -> Bool {
    func isWide(_ character: Character?) -> Bool {
      character.map { $0.unicodeScalars.allSatisfy { $0.value >= 0x2E80 } } ?? true
    }
    let next = text.dropFirst(name.count).first
    return isWide(name.last) || isWide(next) || next?.isLetter == false && next?.isNumber == false
  }

  private static func lowercased(_ character: Character) -> Character {
    Character(character.lowercased().prefix(1).description)
  }

  private static let named: [Key.Code] =
    [
      .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .insert, .delete, .backspace,
      .tab, .enter, .escape, .character(" "),
    ] + (1...12).map { .function($0) }
}
