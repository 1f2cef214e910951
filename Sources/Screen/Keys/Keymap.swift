import TOML
import Terminal

/// The bindings of keys to commands, by context.
///
/// Commands are names without meaning here. Contexts are names too (`everywhere`, `input`, `list`);
/// a look-up searches them from the innermost out.
nonisolated package struct Keymap: Equatable, Sendable {
  /// A key sequence and its command.
  package struct Binding: Equatable, Sendable {
    /// The context in which it is effective.
    var context: String
    var sequence: KeySequence
    var command: String
    /// The line in the key file; `nil` for a built-in binding.
    var line: Int?
    /// `true` if `bind` added it by itself: the `^X` twin of an Alt chord.
    var isTwin: Bool

    /// Indicates whether a line of a key file has this binding.
    fileprivate var isWritten: Bool { line != nil && !isTwin }
  }

  /// The meaning of the keys pressed so far.
  package enum Lookup: Equatable, Sendable {
    case command(String)
    /// The start of at least one sequence.
    case prefix
    case none
  }

  /// A problem of a keymap that its author should correct.
  package struct Problem: Equatable, Sendable {
    /// The kinds of problems of a binding.
    package enum MistakeKind: Equatable, Sendable {
      /// The same keys are bound to this command, too.
      case boundTwice(loser: String)
      /// This key of the sequence cannot be sent; the text of the key `reason` explains it.
      case unsendable(Key, reason: String)
      /// The sequence is the start of longer sequences, too.
      case beginning
      /// The sequence begins with keys that have a command already, and is never reached.
      case unreached(beginning: Binding)
      /// The sequence is the only one of its command, and only some terminals can send it.
      case onlySometimes
    }

    var binding: Binding
    package var kind: MistakeKind

    /// The description of the problem, for the author of a key file.
    package var sentence: LocalizableText {
      var arguments: [String: LocalizableText.Word] = [
        "sequence": .verbatim("\(binding.sequence)"), "command": .verbatim(binding.command),
      ]
      switch kind {
      case .boundTwice(let loser):
        arguments["loser"] = .verbatim(loser)
        return LocalizableText("mistake.keys.boundTwice", arguments)
      case .unsendable(let key, let reason):
        return LocalizableText(
          "mistake.keys.unsendable", ["chord": .verbatim("\(key)"), "reason": .named(reason)])
      case .beginning:
        arguments["command"] = nil
        return LocalizableText("mistake.keys.beginning", arguments)
      case .unreached(let beginning):
        arguments["beginning"] = .verbatim("\(beginning.sequence)")
        arguments["command"] = .verbatim(beginning.command)
        return LocalizableText("mistake.keys.unreached", arguments)
      case .onlySometimes: return LocalizableText("mistake.keys.onlySometimes", arguments)
      }
    }

    /// Indicates whether the binding still works on some terminals.
    var isWarning: Bool { kind == .onlySometimes }
  }

  /// All bindings, in the order of their creation.
  package private(set) var bindings: [Binding] = []
  /// The positions in `bindings`, by context and keys.
  private var index: [String: [KeySequence: Int]] = [:]
  /// The prefixes of sequences of more than one key, by context.
  private var prefixes: [String: Set<KeySequence>] = [:]
  /// The bindings whose keys another binding of the same context took over.
  private var overridden: [(loser: Binding, winner: Binding)] = []

  /// Creates a keymap without bindings.
  package init() {}

  /// Compares only the bindings.
  package static func == (left: Keymap, right: Keymap) -> Bool {
    left.bindings == right.bindings
  }

  /// Binds keys to a command; a later binding of the same keys in the same context wins.
  ///
  /// An Alt chord also gets its twin, `^X` and the same key (interface.md, "Keys"), unless the twin
  /// has a binding of its own: by a line of the file, or to another command than the chord had
  /// before.
  /// - Parameters:
  ///   - line: the line of the key file; `nil` for built-in bindings, which files may replace
  ///     without a problem being reported.
  ///   - addsTwin: adds the twin of an Alt chord.
  package mutating func bind(
    _ sequence: KeySequence, to command: String, in context: String, line: Int? = nil,
    addsTwin: Bool = true
  ) {
    let before = self.command(of: sequence, in: context)
    add(
      Binding(
        context: context, sequence: sequence, command: command, line: line, isTwin: false))
    guard addsTwin, let twin = sequence.twin else { return }
    if let position = index[context]?[twin], !Self.follows(bindings[position], before) { return }
    add(Binding(context: context, sequence: twin, command: command, line: line, isTwin: true))
  }

  /// Removes keys, and their twin, from a context. A built-in twin is removed if it has the same
  /// command; a twin from a file stays.
  package mutating func unbind(_ sequence: KeySequence, in context: String) {
    let twin = sequence.twin
    let command = command(of: sequence, in: context)
    bindings.removeAll { binding in
      guard binding.context == context else { return false }
      if binding.sequence == sequence { return true }
      return binding.sequence == twin && Self.follows(binding, command)
    }
    rebuild()
  }

  private func command(of sequence: KeySequence, in context: String) -> String? {
    index[context]?[sequence].map { bindings[$0].command }
  }

  /// Returns whether a twin follows its chord: it was added automatically, or is built in with the
  /// same command.
  private static func follows(_ twin: Binding, _ command: String?) -> Bool {
    twin.isTwin || twin.line == nil && twin.command == command
  }

  /// Returns the meaning of `keys`, pressed in succession; the first context that binds them
  /// decides.
  package func lookup(_ keys: [Key], in contexts: [String]) -> Lookup {
    for context in contexts {
      let found = lookup(KeySequence(keys), in: context)
      if found != .none { return found }
    }
    // With Caps Lock on, Alt+A arrives with the capital letter.
    let lower = keys.map(\.withoutCapital)
    return lower == keys ? .none : lookup(lower, in: contexts)
  }

  private func lookup(_ sequence: KeySequence, in context: String) -> Lookup {
    if let position = index[context]?[sequence] { return .command(bindings[position].command) }
    return prefixes[context]?.contains(sequence) == true ? .prefix : .none
  }

  /// Returns the keys of a command, the first bound first.
  package func sequences(for command: String, in contexts: [String]) -> [KeySequence] {
    contexts.flatMap { context in
      bindings.filter { $0.context == context && $0.command == command }.map(\.sequence)
    }
  }

  /// Returns the possible continuations of `keys`, for the pop-up that shows them.
  package func continuations(
    of keys: [Key], in contexts: [String]
  ) -> [(keys: KeySequence, command: String)] {
    var seen: Set<KeySequence> = []
    return contexts.flatMap { context in
      bindings.compactMap { binding in
        guard binding.context == context, binding.sequence.keys.count > keys.count,
          binding.sequence.keys.starts(with: keys)
        else { return nil }
        let rest = KeySequence(Array(binding.sequence.keys.dropFirst(keys.count)))
        return seen.insert(rest).inserted ? (rest, binding.command) : nil
      }
    }
  }

  /// Returns all problems of the bindings: keys bound twice, sequences that a shorter one makes
  /// unreachable, chords that terminals cannot send, commands that only some terminals can reach.
  package func problems() -> [Problem] {
    var problems: [Problem] = []
    for (loser, winner) in overridden where loser.line != nil || winner.line == nil {
      problems.append(Problem(binding: winner, kind: .boundTwice(loser: loser.command)))
    }
    for binding in bindings {
      for key in binding.sequence.keys {
        if case .never(let reason) = key.reach {
          problems.append(Problem(binding: binding, kind: .unsendable(key, reason: reason)))
        }
      }
      if prefixes[binding.context]?.contains(binding.sequence) == true {
        problems += hiding(behind: binding)
      }
    }
    var named: Set<String> = []
    for binding in bindings where named.insert(binding.command).inserted {
      let all = bindings.filter { $0.command == binding.command }
      let isSafe = all.contains { $0.sequence.keys.allSatisfy { $0.reach == .everywhere } }
      let isBroken = all.contains { $0.sequence.keys.contains { $0.reach.isNever } }
      if !isSafe, !isBroken {
        problems.append(Problem(binding: binding, kind: .onlySometimes))
      }
    }
    return problems
  }

  /// Returns the problems of sequences that begin with `beginning`: the author of a file gets the
  /// line that they wrote, the shorter or the longer sequence.
  private func hiding(behind beginning: Binding) -> [Problem] {
    let longer =
      beginning.isWritten
      ? []
      : bindings.filter {
        $0.isWritten && $0.context == beginning.context && $0.sequence != beginning.sequence
          && $0.sequence.keys.starts(with: beginning.sequence.keys)
      }
    return longer.isEmpty
      ? [Problem(binding: beginning, kind: .beginning)]
      : longer.map { Problem(binding: $0, kind: .unreached(beginning: beginning)) }
  }

  /// Returns whether these keys have a command in this context.
  func binds(_ sequence: KeySequence, in context: String) -> Bool {
    index[context]?[sequence] != nil
  }

  /// Returns whether any of these commands is bound.
  func binds(anyOf commands: Set<String>) -> Bool {
    bindings.contains { commands.contains($0.command) }
  }

  /// Returns whether this keymap has the same command for these keys in this context.
  func binds(like other: Binding) -> Bool {
    index[other.context]?[other.sequence].map { bindings[$0].command } == other.command
  }

  private mutating func add(_ binding: Binding) {
    if let position = index[binding.context]?[binding.sequence] {
      let loser = bindings[position]
      if loser.command != binding.command, !loser.isTwin, !binding.isTwin {
        overridden.append((loser, binding))
      }
      bindings[position] = binding
      return
    }
    index[binding.context, default: [:]][binding.sequence] = bindings.count
    bindings.append(binding)
    addPrefixes(of: binding)
  }

  private mutating func addPrefixes(of binding: Binding) {
    for count in 1..<max(1, binding.sequence.keys.count) {
      prefixes[binding.context, default: []]
        .insert(KeySequence(Array(binding.sequence.keys.prefix(count))))
    }
  }

  private mutating func rebuild() {
    (index, prefixes) = ([:], [:])
    for (position, binding) in bindings.enumerated() {
      index[binding.context, default: [:]][binding.sequence] = position
      addPrefixes(of: binding)
    }
  }
}

nonisolated extension KeySequence {
  /// Indicates whether its first key types a character in a text field.
  var beginsWithText: Bool {
    guard let first = keys.first, first.modifiers.isEmpty, case .character = first.code else {
      return false
    }
    return true
  }

  /// `^X` and the same key, for a single Alt chord with a character or with Backspace.
  var twin: KeySequence? {
    guard keys.count == 1, keys[0].modifiers == .alt else { return nil }
    switch keys[0].code {
    case .character, .backspace: return KeySequence(.control("x"), Key(keys[0].code))
    default: return nil
    }
  }
}

nonisolated extension Key {
  fileprivate var withoutCapital: Key {
    guard modifiers.contains(.alt), case .character(let letter) = code else { return self }
    return Key(.character(letter.lowercased().first ?? letter), modifiers)
  }
}

nonisolated extension Key.Reach {
  fileprivate var isNever: Bool {
    if case .never = self { true } else { false }
  }
}
