import Terminal

/// vi's keys in the input line, if `ui.keys` is `vi`: typed letters are text until Esc; then
/// letters move and change until `i` and similar commands.
nonisolated package struct ViEditing: Hashable, Sendable {
  package enum Mode: Hashable, Sendable { case insert, normal }

  /// The result of a key.
  package enum Outcome: Hashable, Sendable {
    case ignored, taken
    /// The cursor moves that many rows up or down, or through the history from the first and the
    /// last row: the caller knows the rows of the text.
    case up(Int), down(Int)
  }

  /// The text that was last deleted or copied; whole lines are inserted above or below a line.
  struct Register: Hashable, Sendable {
    var text = ""
    var isLines = false
  }

  /// One step of a change that can be repeated.
  package enum Step: Hashable, Sendable {
    /// A key of a command.
    case key(Key)
    /// A key that was typed into the text.
    case typed(Key)
    /// An action that was run while text was inserted, whatever its keys.
    case action(KeyAction)
    case pasted(String)
  }

  /// `f`, `F`, `t` or `T` and its character.
  struct Find: Hashable, Sendable {
    var letter: Character
    var wanted: Character
  }

  /// The editing keys, for the repetition of a change.
  package var bindings = KeyBindingTable.natter
  package var mode = Mode.insert
  var register = Register()
  var lastFind: Find?
  /// The number before a command, and the one before its operator.
  private var count: Int?
  private var operatorCount: Int?
  /// An operator that waits for its motion: `d`, `c`, `y`.
  private var waiting: Character?
  /// A command that waits for one more character.
  private var halfway: Character?
  /// The steps of the current command, including the text that it inserts, and of the last one that
  /// changed something.
  private var steps: [Step] = []
  private var lastChange: [Step] = []
  /// Indicates whether the current command changes something.
  var isChange = false
  private var isRepeating = false

  private static let mostTimes = 999
  /// Limit in bytes of what one `p` inserts, unless a single copy is longer.
  static let mostInserted = 1 << 18

  package init() {}

  /// Returns to the initial state, as after a line was sent. The register keeps its text.
  package mutating func reset() {
    if mode == .insert, isChange { lastChange = steps }
    mode = .insert
    (steps, isChange) = ([], false)
    forget()
  }

  /// Records for `.` an edit to the text that a command inserts.
  package mutating func keep(_ step: Step) {
    if mode == .insert, isChange, !isRepeating { steps.append(step) }
  }

  /// Stores a text that was copied elsewhere in the register.
  package mutating func remember(_ copied: String) { register = Register(text: copied) }

  private mutating func forget() { (count, operatorCount, waiting, halfway) = (nil, nil, nil, nil) }

  private var isUnderWay: Bool { count != nil || waiting != nil || halfway != nil }

  /// Performs `key`; in normal mode every letter is taken.
  package mutating func take(_ key: Key, in editor: inout LineEditor) -> Outcome {
    if mode == .insert {
      guard key == .escape else { return .ignored }
      keep(.key(key))
      mode = .normal
      if isChange { remember(steps) }
      (steps, isChange) = ([], false)
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
      (steps, isChange) = ([], false)
      forget()
      return .taken
    default:
      forget()
      return .ignored
    }
  }

  private mutating func take(_ letter: Character, in editor: inout LineEditor) -> Outcome {
    if !isRepeating {
      if !isUnderWay { steps = [] }
      steps.append(.key(.character(letter)))
    }
    if halfway == nil, let digit = letter.wholeNumberValue, letter.isASCII,
      digit > 0 || count != nil
    {
      count = min(Self.mostTimes, (count ?? 0) * 10 + digit)
      return .taken
    }
    if needsMore(letter) { return .taken }
    // Undo reverts one command together with the text that is typed after it.
    editor.beginUndoGroup()
    isChange = false
    let times = count.map { $0 * (operatorCount ?? 1) } ?? operatorCount
    let (operation, first) = (waiting, halfway)
    forget()
    let outcome = run(
      ViCommand(letter: letter, first: first, operation: operation, times: times), in: &editor)
    if mode == .normal {
      settle(&editor)
      if isChange { remember(steps) }
      isChange = false
    }
    return outcome
  }

  /// Returns whether `letter` is only the beginning of a command.
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

  private mutating func remember(_ steps: [Step]) { if !isRepeating { lastChange = steps } }

  /// `.`: repeats the last change.
  /// - Parameter times: replaces the number of that change.
  mutating func repeatChange(_ times: Int?, in editor: inout LineEditor) {
    guard !isRepeating, !lastChange.isEmpty else { return }
    var steps = lastChange
    if let times {
      steps.removeFirst(steps.prefix { $0.isDigit }.count)
      steps = String(times).map { Step.key(.character($0)) } + steps
    }
    isRepeating = true
    let before = editor.undoCount
    for step in steps { again(step, in: &editor) }
    if mode == .insert { _ = take(.escape, in: &editor) }
    isRepeating = false
    isChange = false
    editor.joinUndoGroups(since: before)
  }

  private mutating func again(_ step: Step, in editor: inout LineEditor) {
    switch step {
    case .key(let key): _ = take(key, in: &editor)
    // If the command failed, its text must not be inserted: its letters would be commands.
    case _ where mode != .insert: break
    case .typed(let key): _ = editor.take(key, by: bindings)
    case .action(.newLine): editor.insertNewline()
    case .action(let action): _ = editor.perform(action)
    case .pasted(let text): editor.paste(text)
    }
  }

  /// Moves the cursor onto a character, if the line has any.
  package func settle(_ editor: inout LineEditor) {
    guard mode == .normal else { return }
    let text = ViText(editor)
    let start = text.lineStart(text.cursor)
    if text.cursor > start, text.cursor == text.lineEnd(text.cursor) {
      editor.moveCursor(to: text.offset(text.cursor - 1))
    }
  }
}

/// One complete vi command.
nonisolated struct ViCommand {
  let letter: Character
  /// The character before it: `f`, `F`, `t`, `T`, `r`, `g`; `i` or `a` after an operator.
  let first: Character?
  let operation: Character?
  /// The number before it.
  let times: Int?

  var count: Int { times ?? 1 }
}

extension ViEditing.Step {
  nonisolated fileprivate var isDigit: Bool {
    guard case .key(let key) = self, key.modifiers.isEmpty,
      case .character(let character) = key.code
    else { return false }
    return character.isASCII && character.isNumber
  }
}
