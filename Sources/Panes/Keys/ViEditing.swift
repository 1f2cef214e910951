import Terminal

/// vi's keys in the input line, for those who have set `ui.keys` to `vi`: what is typed is text until Esc, then letters move
/// and change until `i` and its like.
nonisolated struct ViEditing: Hashable, Sendable {
  enum Mode: Hashable, Sendable { case insert, normal }

  /// What became of a key.
  enum Outcome: Hashable, Sendable {
    case ignored, taken
    /// So many rows up or down, or through the history from the first and the last one: who shows the text knows its rows.
    case up(Int), down(Int)
  }

  /// What was deleted or copied last; whole lines are put above or below a line.
  struct Register: Hashable, Sendable {
    var text = ""
    var isLines = false
  }

  /// `f`, `F`, `t` or `T` and its character.
  struct Find: Hashable, Sendable {
    var letter: Character
    var wanted: Character
  }

  /// The keys of the text, for those of a change that is done again.
  var bindings = KeyBindingTable.natter
  var mode = Mode.insert
  var register = Register()
  var lastFind: Find?
  /// The number before a command, and the one before its operator.
  private var count: Int?
  private var operatorCount: Int?
  /// An operator that waits for its motion: `d`, `c`, `y`.
  private var waiting: Character?
  /// A command that waits for one more character.
  private var halfway: Character?
  /// The keys of the command under way, with the text that it has put in; and those of the last one that changed something.
  private var keys: [Key] = []
  private var lastChange: [Key] = []
  /// Whether the command under way changes something.
  var isChange = false
  private var isRepeating = false

  private static let mostTimes = 999
  /// Bytes that one `p` puts in at most, unless one copy has more.
  static let mostInserted = 1 << 18

  /// Begins anew, as after a line was sent. What was deleted can still be put in.
  mutating func reset() {
    if mode == .insert, isChange { lastChange = keys }
    mode = .insert
    (keys, isChange) = ([], false)
    forget()
  }

  /// Takes a text that was copied elsewhere for what was copied last.
  mutating func remember(_ copied: String) { register = Register(text: copied) }

  private mutating func forget() { (count, operatorCount, waiting, halfway) = (nil, nil, nil, nil) }

  private var isUnderWay: Bool { count != nil || waiting != nil || halfway != nil }

  /// Does what `key` means; in the normal mode every letter is taken.
  mutating func take(_ key: Key, in editor: inout LineEditor) -> Outcome {
    if mode == .insert {
      if !isRepeating { keys.append(key) }
      guard key == .escape else { return .ignored }
      mode = .normal
      if isChange { remember(keys) }
      (keys, isChange) = ([], false)
      let text = ViText(editor)
      if text.cursor > text.lineStart(text.cursor) { editor.moveLeft() }
      return .taken
    }
    if key == .control("r"), !isUnderWay {
      editor.redoGroup()
      settle(&editor)
      return .taken
    }
    guard key.modifiers.isEmpty else {
      forget()
      return .ignored
    }
    switch key.code {
    case .character(let letter): return take(letter, in: &editor)
    case .backspace: return take("h", in: &editor)
    case .escape where isUnderWay:
      (keys, isChange) = ([], false)
      forget()
      return .taken
    default:
      forget()
      return .ignored
    }
  }

  private mutating func take(_ letter: Character, in editor: inout LineEditor) -> Outcome {
    if !isRepeating {
      if !isUnderWay { keys = [] }
      keys.append(.character(letter))
    }
    if halfway == nil, let digit = letter.wholeNumberValue, letter.isASCII,
      digit > 0 || count != nil
    {
      count = min(Self.mostTimes, (count ?? 0) * 10 + digit)
      return .taken
    }
    if needsMore(letter) { return .taken }
    // What one command does is undone at once, with the text that is typed after it.
    editor.beginUndoGroup()
    isChange = false
    let times = count.map { $0 * (operatorCount ?? 1) } ?? operatorCount
    let (operation, first) = (waiting, halfway)
    forget()
    let outcome = run(
      ViCommand(letter: letter, first: first, operation: operation, times: times), in: &editor)
    if mode == .normal {
      settle(&editor)
      if isChange { remember(keys) }
      isChange = false
    }
    return outcome
  }

  /// Whether `letter` is only the beginning of a command.
  private mutating func needsMore(_ letter: Character) -> Bool {
    guard halfway == nil else { return false }
    switch letter {
    case "f", "F", "t", "T", "g": halfway = letter
    case "r" where waiting == nil: halfway = letter
    case "i" where waiting != nil, "a" where waiting != nil: halfway = letter
    case "d" where waiting == nil, "c" where waiting == nil, "y" where waiting == nil:
      (waiting, operatorCount, count) = (letter, count, nil)
    default: return false
    }
    return true
  }

  private mutating func remember(_ keys: [Key]) { if !isRepeating { lastChange = keys } }

  /// `.`: does the last change again.
  /// - Parameter times: in the place of its own number.
  mutating func repeatChange(_ times: Int?, in editor: inout LineEditor) {
    guard !isRepeating, !lastChange.isEmpty else { return }
    var keys = lastChange
    if let times {
      keys.removeFirst(keys.prefix { $0.isDigit }.count)
      keys = String(times).map { Key.character($0) } + keys
    }
    isRepeating = true
    let before = editor.undoCount
    for key in keys where take(key, in: &editor) == .ignored {
      // As it was when it was typed: the input line's own before those of the text.
      if !bindings.leavesToText(key), case .action(let action) = bindings.match([key], in: .input) {
        _ = editor.perform(action)
      } else {
        _ = editor.take(key, by: bindings)
      }
    }
    if mode == .insert { _ = take(.escape, in: &editor) }
    isRepeating = false
    isChange = false
    editor.joinUndoGroups(since: before)
  }

  /// The cursor stands on a character, where the line has any.
  func settle(_ editor: inout LineEditor) {
    guard mode == .normal else { return }
    let text = ViText(editor)
    let start = text.lineStart(text.cursor)
    if text.cursor > start, text.cursor == text.lineEnd(text.cursor) {
      editor.moveCursor(to: text.offset(text.cursor - 1))
    }
  }
}

/// One whole command of vi.
nonisolated struct ViCommand {
  let letter: Character
  /// What stood before it: `f`, `F`, `t`, `T`, `r`, `g`; `i` or `a` behind an operator.
  let first: Character?
  let operation: Character?
  /// The number before it.
  let times: Int?

  var count: Int { times ?? 1 }
}

extension Key {
  nonisolated fileprivate var isDigit: Bool {
    if case .character(let character) = code, modifiers.isEmpty {
      return character.isASCII && character.isNumber
    }
    return false
  }
}
