import NatterCore
import Terminal
import Text

/// Writes keys as help and the hint bar show them: `^O`, `Alt+A`, `PgUp` (interface.md, "Keys").
nonisolated package struct KeySpelling: Sendable {
  let localizer: Localizer

  /// - Parameter localizer: names of keys are `keyname.enter` and so on.
  package init(localizer: Localizer) { self.localizer = localizer }

  /// The presses of `sequence`, with blanks between them.
  package func callAsFunction(_ sequence: [Key]) -> String {
    // Joining an array makes the runtime search all conformances, which delays the first frame at
    // each start.
    var text = ""
    for key in sequence { text += (text.isEmpty ? "" : " ") + spell(key) }
    return text
  }

  private func spell(_ key: Key) -> String {
    if case .character(let character) = key.code {
      if key.modifiers.contains(.control) { return "^" + character.uppercased() }
      if key.modifiers.contains(.alt) {
        return localizer("keyname.alt") + "+" + character.uppercased()
      }
      return name(key.code)
    }
    var text = ""
    if key.modifiers.contains(.control) { text += localizer("keyname.ctrl") + "+" }
    if key.modifiers.contains(.alt) { text += localizer("keyname.alt") + "+" }
    if key.modifiers.contains(.shift) { text += localizer("keyname.shift") + "+" }
    return text + name(key.code)
  }

  func name(_ code: Key.Code) -> String {
    switch code {
    case .character(" "): localizer("keyname.space")
    case .character(let character): String(character)
    case .up: localizer("keyname.up")
    case .down: localizer("keyname.down")
    case .left: localizer("keyname.left")
    case .right: localizer("keyname.right")
    case .home: localizer("keyname.home")
    case .end: localizer("keyname.end")
    case .pageUp: localizer("keyname.pageUp")
    case .pageDown: localizer("keyname.pageDown")
    case .insert: localizer("keyname.insert")
    case .delete: localizer("keyname.delete")
    case .backspace: localizer("keyname.backspace")
    case .tab: localizer("keyname.tab")
    case .enter: localizer("keyname.enter")
    case .escape: localizer("keyname.escape")
    case .function(let number): "F\(number)"
    }
  }
}
