import TOML

/// Which keys do what, in which part of the program.
///
/// Commands are names; what they do is not known here. Contexts are names too (`everywhere`, `input`,
/// `list`); a look-up goes through them from the innermost out.
package struct Keymap: Equatable, Sendable {
  /// A key sequence and its command.
  package struct Binding: Equatable, Sendable {
    /// Where it holds.
    package var context: String
    package var sequence: KeySequence
    package var command: String
    /// The line of the key file it comes from; `nil` for those built in.
    package var line: Int?
    /// `true` for what `bind` added by itself: the `^X` twin of an Alt chord.
    package var isTwin: Bool

    /// Whether it stands in a key file as it is.
    fileprivate var isWritten: Bool { line != nil && !isTwin }
  }

  /// What keys pressed so far mean.
  package enum Lookup: Equatable, Sendable {
    case command(String)
    /// The beginning of at least one sequence.
    case prefix
    case none
  }

  /// Something about a keymap that its author should change.
  package struct Problem: Equatable, Sendable {
    /// What can be wrong with a binding.
    package enum Kind: Equatable, Sendable {
      /// The same keys are bound to this command, too.
      case boundTwice(loser: String)
      /// This key in it cannot be sent; the text of the key `reason` says why.
      case unsendable(Key, reason: String)
      /// It is the beginning of longer sequences, too.
      case beginning
      /// It begins with keys that have a command already, and is never reached.
      case unreached(beginning: Binding)
      /// It is the only one of its command, and only some terminals can send it.
      case onlySometimes
    }

    package var binding: Binding
    package var kind: Kind

    /// What is wrong, for the author of a key file.
    package var sentence: LocalizableText {
      var words: [String: LocalizableText.Word] = [
        "sequence": .verbatim("\(binding.sequence)"), "command": .verbatim(binding.command),
      ]
      switch kind {
      case .boundTwice(let loser):
        words["loser"] = .verbatim(loser)
        return LocalizableText("mistake.keys.boundTwice", words)
      case .unsendable(let key, let reason):
        return LocalizableText(
          "mistake.keys.unsendable", ["chord": .verbatim("\(key)"), "reason": .named(reason)])
      case .beginning:
        words["command"] = nil
        return LocalizableText("mistake.keys.beginning", words)
      case .unreached(let beginning):
        words["beginning"] = .verbatim("\(beginning.sequence)")
        words["command"] = .verbatim(beginning.command)
        return LocalizableText("mistake.keys.unreached", words)
      case .onlySometimes: return LocalizableText("mistake.keys.onlySometimes", words)
      }
    }

    /// Whether it works all the same, on some terminals.
    package var isWarning: Bool { kind == .onlySometimes }
  }

  /// All bindings, in the order they were made.
  package private(set) var bindings: [Binding] = []
  /// Positions in `bindings`, by context and keys.
  private var index: [String: [KeySequence: Int]] = [:]
  /// The beginnings of sequences of more than one key, by context.
  private var prefixes: [String: Set<KeySequence>] = [:]
  /// Bindings that another one in the same context took the keys of.
  private var overridden: [(loser: Binding, winner: Binding)] = []

  /// A keymap without bindings.
  package init() {}

  /// The bindings alone count.
  package static func == (left: Keymap, right: Keymap) -> Bool {
    left.bindings == right.bindings
  }

  /// Binds keys to a command; a later binding of the same keys in the same context wins.
  ///
  /// An Alt chord also gets its twin, `^X` and the same key (interface.md, "Keys"), unless that is
  /// bound to something else by itself: by a line of the file, or to what the chord did not do
  /// before.
  /// - Parameters:
  ///   - line: the line of the key file; `nil` for built-in bindings, which files may replace
  ///     without that being a problem.
  ///   - addsTwin: whether an Alt chord gets its twin.
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

  /// Takes keys, and their twin, out of a context; a twin that is built in goes where it does the same, one of a file stays.
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

  /// Whether what stands on the twin goes with its chord: it is there by itself, or built in and the same as the chord's.
  private static func follows(_ twin: Binding, _ command: String?) -> Bool {
    twin.isTwin || twin.line == nil && twin.command == command
  }

  /// What `keys`, pressed one after the other, mean; the first context that knows them decides.
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

  /// The keys of a command, the first bound first.
  package func sequences(for command: String, in contexts: [String]) -> [KeySequence] {
    contexts.flatMap { context in
      bindings.filter { $0.context == context && $0.command == command }.map(\.sequence)
    }
  }

  /// What may follow `keys`: for the pop-up that shows how a sequence goes on.
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

  /// Everything that is wrong with the bindings: keys bound twice, keys behind a command that is
  /// reached before them, chords that terminals cannot send, commands that only some can reach.
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

  /// What is told of sequences that begin as `beginning` and go on: a file's author hears of the line that he wrote, be it the
  /// shorter or the longer one.
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

  /// Whether these keys have a command in this context.
  func binds(_ sequence: KeySequence, in context: String) -> Bool {
    index[context]?[sequence] != nil
  }

  /// Whether one of these commands is on any keys.
  func binds(anyOf commands: Set<String>) -> Bool {
    bindings.contains { commands.contains($0.command) }
  }

  /// Whether these keys have this command in this context here, too.
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

extension KeySequence {
  /// Whether its first key is one that types a character where text is typed.
  var beginsWithText: Bool {
    guard let first = keys.first, first.modifiers.isEmpty, case .character = first.code else {
      return false
    }
    return true
  }

  /// `^X` and the same key, for a single Alt chord with a character or with Backspace.
  package var twin: KeySequence? {
    guard keys.count == 1, keys[0].modifiers == .alt else { return nil }
    switch keys[0].code {
    case .character, .backspace: return KeySequence(.control("x"), Key(keys[0].code))
    default: return nil
    }
  }
}

extension Key {
  fileprivate var withoutCapital: Key {
    guard modifiers.contains(.alt), case .character(let letter) = code else { return self }
    return Key(.character(letter.lowercased().first ?? letter), modifiers)
  }
}

extension Key.Reach {
  fileprivate var isNever: Bool {
    if case .never = self { true } else { false }
  }
}
