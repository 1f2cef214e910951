/// A key, and what xterm sends for it.
package enum TerminalKey: Hashable, Sendable {
  case up, down, left, right, home, end, pageUp, pageDown, insert, delete
  case enter, tab, backTab, escape, backspace
  /// 1 to 12.
  case f(Int)
  /// Ctrl with a letter or one of `@[\]^_`.
  case control(Character)
  /// Alt with a character: ESC before it.
  case alt(Character)
  /// Alt with Backspace.
  case altBackspace
  case text(String)

  package static let f1 = f(1)
  package static let f2 = f(2)
  package static let f3 = f(3)
  package static let f4 = f(4)
  package static let f5 = f(5)
  package static let f6 = f(6)
  package static let f7 = f(7)
  package static let f10 = f(10)

  /// - Parameter applicationCursor: whether the program asked for application cursor keys
  ///   (`CSI ? 1 h`, terminfo's smkx), as ncurses with `keypad` does.
  package func bytes(applicationCursor: Bool) -> [UInt8] {
    let cursor = applicationCursor ? "\u{1b}O" : "\u{1b}["
    switch self {
    case .up: return Array("\(cursor)A".utf8)
    case .down: return Array("\(cursor)B".utf8)
    case .right: return Array("\(cursor)C".utf8)
    case .left: return Array("\(cursor)D".utf8)
    case .home: return Array("\(cursor)H".utf8)
    case .end: return Array("\(cursor)F".utf8)
    case .insert: return Array("\u{1b}[2~".utf8)
    case .delete: return Array("\u{1b}[3~".utf8)
    case .pageUp: return Array("\u{1b}[5~".utf8)
    case .pageDown: return Array("\u{1b}[6~".utf8)
    case .enter: return [0x0d]
    case .tab: return [0x09]
    case .backTab: return Array("\u{1b}[Z".utf8)
    case .escape: return [0x1b]
    case .backspace: return [0x7f]
    case .f(let number):
      let codes = [15, 17, 18, 19, 20, 21, 23, 24]
      guard number > 4 else {
        return Array("\u{1b}O\(["P", "Q", "R", "S"][max(0, number - 1)])".utf8)
      }
      return Array("\u{1b}[\(codes[min(number, 12) - 5])~".utf8)
    case .control(let character):
      return character.uppercased().utf8.prefix(1).map { $0 & 0x1f }
    case .alt(let character): return [0x1b] + Array(String(character).utf8)
    case .altBackspace: return [0x1b, 0x7f]
    case .text(let text): return Array(text.utf8)
    }
  }
}
