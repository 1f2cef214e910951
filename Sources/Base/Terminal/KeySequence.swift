/// One or more keys pressed in succession, as help texts and key files spell them.
///
/// Both Natter's own spelling (`^O`, `Alt+A`, `^X ?`, `PgUp`, `Shift+Tab`) and Emacs' (`C-x b`,
/// `M-a`) are parsed; output uses the first (interface.md, "Keys").
package struct KeySequence: Hashable, Sendable {
  /// The keys in the order in which they are pressed.
  package var keys: [Key]

  package init(_ keys: [Key]) {
    self.keys = keys
  }

  package init(_ keys: Key...) {
    self.keys = keys
  }

  /// Parses a spelling; `nil` if it is invalid.
  ///
  /// Chords that terminals send as another key become that key: `Ctrl+I` is `Tab`.
  package init?(_ spelling: String) {
    let words = spelling.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    keys = []
    for word in words {
      guard let key = Key(spelling: word) else { return nil }
      keys.append(key)
    }
  }
}

extension KeySequence: CustomStringConvertible {
  /// The keys in Natter's spelling, separated by blanks.
  package var description: String {
    keys.map(\.description).joined(separator: " ")
  }
}

extension Key: CustomStringConvertible {
  /// Parses one key's spelling: `^O`, `Alt+Shift+A`, `C-x`, `PgUp`, `a`.
  package init?(spelling: some StringProtocol) {
    var rest = Substring(spelling)
    var modifiers: Modifiers = []
    if rest.first == "^", rest.count > 1 {
      modifiers = .control
      rest = rest.dropFirst()
    } else {
      while let (modifier, length) = Self.modifier(at: rest) {
        modifiers.insert(modifier)
        rest = rest.dropFirst(length)
      }
    }
    guard let code = Self.code(named: rest) else { return nil }
    self = Key(code, modifiers).canonical
  }

  /// Returns the modifier at the start of `text` and its length in characters.
  private static func modifier(at text: Substring) -> (Modifiers, Int)? {
    let names: [(String, Modifiers)] = [
      ("ctrl+", .control), ("control+", .control), ("alt+", .alt), ("meta+", .alt),
      ("shift+", .shift), ("c-", .control), ("m-", .alt), ("a-", .alt), ("s-", .shift),
    ]
    let lower = text.lowercased()
    for (name, modifier) in names where lower.count > name.count && lower.hasPrefix(name) {
      return (modifier, name.count)
    }
    return nil
  }

  private static func code(named name: Substring) -> Code? {
    if name.count == 1 { return name.first.map { .character($0) } }
    let lower = name.lowercased()
    if let code = names[lower] { return code }
    if lower.first == "f", let number = Int(lower.dropFirst()), (1...24).contains(number) {
      return .function(number)
    }
    return nil
  }

  private static let names: [String: Code] = [
    "up": .up, "down": .down, "left": .left, "right": .right, "home": .home, "end": .end,
    "pgup": .pageUp, "pageup": .pageUp, "prior": .pageUp, "pgdn": .pageDown,
    "pgdown": .pageDown, "pagedown": .pageDown, "next": .pageDown, "ins": .insert,
    "insert": .insert, "del": .delete, "delete": .delete, "backspace": .backspace,
    "bs": .backspace, "tab": .tab, "enter": .enter, "return": .enter, "ret": .enter,
    "esc": .escape, "escape": .escape, "space": .character(" "), "spc": .character(" "),
  ]

  /// The key as the decoder delivers it: a letter with Ctrl is lower case, Ctrl+I is Tab, a letter
  /// includes Shift.
  private var canonical: Key {
    guard case .character(let character) = code else { return self }
    if modifiers.contains(.control) {
      let others = modifiers.subtracting(.control)
      switch character {
      case "i", "I": return Key(.tab, others)
      case "m", "M": return Key(.enter, others)
      case "[": return Key(.escape, others)
      case "h", "H", "?": return Key(.backspace, others)
      case "@": return Key(.character(" "), modifiers)
      case "/": return Key(.character("_"), modifiers)
      default: return Key(.character(character.lowercased().first ?? character), modifiers)
      }
    }
    // "Alt+A" means the key labelled A, as on every keyboard and in every help text.
    let letter =
      modifiers.contains(.shift)
      ? character.uppercased().first : modifiers.contains(.alt) ? character.lowercased().first : nil
    return Key(.character(letter ?? character), modifiers.subtracting(.shift))
  }

  /// The key in Natter's spelling.
  package var description: String {
    var held = modifiers
    var name: String
    switch code {
    case .character(let character):
      if held == .control, character != " " { return "^" + character.uppercased() }
      name = character == " " ? "Space" : String(character)
      if held.contains(.alt) || held.contains(.control) {
        if character.isUppercase { held.insert(.shift) }
        name = name.count == 1 ? name.uppercased() : name
      }
    case .up: name = "Up"
    case .down: name = "Down"
    case .left: name = "Left"
    case .right: name = "Right"
    case .home: name = "Home"
    case .end: name = "End"
    case .pageUp: name = "PgUp"
    case .pageDown: name = "PgDn"
    case .insert: name = "Ins"
    case .delete: name = "Del"
    case .backspace: name = "Backspace"
    case .tab: name = "Tab"
    case .enter: name = "Enter"
    case .escape: name = "Esc"
    case .function(let number): name = "F\(number)"
    }
    if held.contains(.shift) { name = "Shift+" + name }
    if held.contains(.alt) { name = "Alt+" + name }
    if held.contains(.control) { name = "Ctrl+" + name }
    return name
  }
}

extension Key {
  /// The terminals that can send a chord (interface.md, "Keys").
  package enum Reach: Equatable, Sendable {
    /// Every terminal.
    case everywhere
    /// Some terminals: suitable as a second binding of a command, never as the only one.
    case sometimes
    /// No terminal reliably, or the key is reserved; the text of this key has the reason.
    case never(String)
  }

  /// The terminals that can send this chord.
  package var reach: Reach {
    switch code {
    case .character(let character): characterReach(character)
    case .function(let number):
      if !modifiers.isEmpty {
        .never("mistake.reach.heldFunction")
      } else if number > 9 {
        .never("mistake.reach.highFunction")
      } else {
        .everywhere
      }
    case .tab:
      modifiers.isEmpty
        ? .everywhere : modifiers == .shift ? .sometimes : .never("mistake.reach.asTab")
    case .escape: modifiers.isEmpty ? .everywhere : .never("mistake.reach.asEscape")
    case .backspace: modifiers.isEmpty || modifiers == .alt ? .everywhere : .sometimes
    case .pageUp, .pageDown:
      if modifiers.contains(.shift) {
        .never("mistake.reach.scrolls")
      } else {
        modifiers.isEmpty ? .everywhere : .sometimes
      }
    default: modifiers.isEmpty ? .everywhere : .sometimes
    }
  }

  private func characterReach(_ character: Character) -> Reach {
    if modifiers.contains(.control) {
      if modifiers.contains(.shift) {
        return .never("mistake.reach.asUnshifted")
      }
      switch character {
      case "s": return .never("mistake.reach.stops")
      case "v", "\\", "]", "^": return .never("mistake.reach.kept")
      case " ": return .never("mistake.reach.inputMethod")
      case "_", "a"..."z": return modifiers == .control ? .everywhere : .sometimes
      default: return .never("mistake.reach.asOther")
      }
    }
    guard modifiers.contains(.alt) else { return .everywhere }
    switch character {
    case "[", "O", "o": return .never("mistake.reach.asCursor")
    // Option types a symbol on macOS, and menus and tabs use some: hence the twins.
    default: return .sometimes
    }
  }
}
