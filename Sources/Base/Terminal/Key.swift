/// One key press, decoded from the terminal's bytes.
package struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  package enum Code: Hashable, Sendable {
    /// A typed grapheme cluster. With `.control` it is the lower-case letter or the symbol of the
    /// chord.
    case character(Character)
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete, backspace
    case tab, enter, escape
    /// F1 is 1.
    case function(Int)
  }

  /// The modifiers of a key.
  package struct Modifiers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let control = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    /// Only if the terminal distinguishes it (Shift+Tab, Shift+arrows).
    package static let shift = Modifiers(rawValue: 4)
  }

  package var code: Code
  package var modifiers: Modifiers

  package init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  package static func character(_ character: Character) -> Key { Key(.character(character)) }
  package static func control(_ character: Character) -> Key {
    Key(.character(character), .control)
  }
  package static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }
  package static let enter = Key(.enter)
  package static let escape = Key(.escape)
}

/// An event from the terminal.
package enum InputEvent: Equatable, Sendable {
  case key(Key)
  /// Pasted text (bracketed paste, or a burst that can only be one): never interpreted as keys.
  case paste(String)
  case mouse(MouseEvent)
  /// The terminal's window got (`true`) or lost the focus (mode 1004).
  case focus(Bool)
  /// The terminal is closed (end of file, EIO): the program has to end.
  case hangup
}

/// A mouse report (SGR mode 1006).
package struct MouseEvent: Equatable, Sendable {
  /// The kind of a mouse event.
  package enum Action: Equatable, Sendable { case press, release, drag, wheelUp, wheelDown }
  package var action: Action
  /// 1 left, 2 middle, 3 right; 0 for the wheel.
  package var button: Int
  /// The cell of the pointer.
  package var at: Point
  package var modifiers: Key.Modifiers
  package init(_ action: Action, button: Int, at: Point, modifiers: Key.Modifiers = []) {
    self.action = action
    self.button = button
    self.at = at
    self.modifiers = modifiers
  }
}

/// The result of a pane's handling of a key; an ignored key goes to the next responder.
package enum KeyDisposition: Equatable, Sendable { case handled, ignored }
