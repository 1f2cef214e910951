import NatterCore
import Terminal
import Text

/// The loaded keymap: help, the hint bar and the key dispatch all read this one table.
nonisolated package struct KeyBindingTable: Hashable, Sendable {
  /// The meaning of a sequence of key presses.
  package enum Match: Hashable, Sendable {
    case none
    /// The beginning of a longer sequence.
    case prefix
    case action(KeyAction)
    /// A command of a script, in the user's own file only.
    case script(ScriptKey)
  }

  package let bindings: [KeyBinding]
  private let index: KeyIndex
  var keymap: Keymap { index.keymap }

  package init(_ bindings: [KeyBinding]) {
    self.bindings = bindings
    index = KeyIndex(of: bindings)
  }

  init(_ bindings: [KeyBinding], _ keymap: Keymap) {
    self.bindings = bindings
    index = KeyIndex(keymap)
  }

  /// This table with the additions and removals of a key file (natter-keys(5)).
  /// - Returns: the table, the mistakes in the file, and whether all of it is used.
  package func applying(_ text: String, file: String) -> (
    table: KeyBindingTable, problems: [KeymapFile.Problem], isWhole: Bool
  ) {
    // Most users have none, and wait for the first frame.
    guard !text.isEmpty else { return (self, [], true) }
    var keymap = keymap
    let (problems, isWhole) = KeymapFile.apply(
      text, of: file, to: &keymap, commands: Set(KeyAction.allCases.map(\.rawValue)),
      isOther: { ScriptKey($0) != nil },
      contexts: Set(KeyBinding.Context.allCases.map(\.rawValue)),
      // A key that is removed from the input line loses its text editing action there, too.
      behind: [KeyBinding.Context.input.rawValue: KeyBinding.Context.editing.rawValue],
      // The letters of vi's normal mode are in no binding.
      typing: Set([KeyBinding.Context.everywhere, .input, .editing].map(\.rawValue)),
      sending: Set([KeyAction.send, .sendAndNext].map(\.rawValue)))
    var changed: [KeyBinding] = []
    for context in KeyBinding.Context.allCases {
      let own = bindings.filter { $0.context == context }
      let known = Set(own.map(\.action))
      let added = KeyAction.allCases.filter { action in
        !known.contains(action)
          && !keymap.sequences(for: action.rawValue, in: [context.rawValue]).isEmpty
      }.map { KeyBinding($0, in: context) }
      for binding in own + added {
        let sequences = keymap.sequences(for: binding.action.rawValue, in: [context.rawValue])
          .map(\.keys).filter { !isHidden($0, in: context, of: keymap) }
        // Existing sequences stay first, so that an addition does not change the hints.
        let kept = binding.sequences.filter { sequences.contains($0) }
        let all = kept + sequences.filter { !kept.contains($0) }
        guard !all.isEmpty else { continue }
        changed.append(
          KeyBinding(
            binding.action, in: context, hinted: binding.isHinted, sequences: all))
      }
    }
    return (KeyBindingTable(changed, keymap), problems, isWhole)
  }

  /// Returns whether the keys of an editing action are never reached, because a global binding has
  /// the same.
  private func isHidden(_ keys: [Key], in context: KeyBinding.Context, of keymap: Keymap) -> Bool {
    guard context == .editing, keys.count > 1 else { return false }
    return keymap.lookup(keys, in: [KeyBinding.Context.everywhere.rawValue]) != .none
  }

  /// Indicates whether a key quits the program.
  package var canQuit: Bool {
    bindings.contains { $0.context == .everywhere && [.quit, .interrupt].contains($0.action) }
  }

  /// Compares only the bindings: `index` is derived from them.
  package static func == (left: KeyBindingTable, right: KeyBindingTable) -> Bool {
    left.bindings == right.bindings
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bindings) }

  /// The action of `keys` in `context`: that context's own bindings first, text editing last, where
  /// there is text.
  package func match(_ keys: [Key], in context: KeyBinding.Context) -> Match {
    switch keymap.lookup(keys, in: names(context)) {
    case .none: .none
    case .prefix: .prefix
    case .command(let name):
      KeyAction(rawValue: name).map { .action($0) } ?? ScriptKey(name).map { .script($0) } ?? .none
    }
  }

  /// Returns whether the user's own file has a binding that begins with `keys` and applies in
  /// `context`.
  package func isOwn(_ keys: [Key], in context: KeyBinding.Context) -> Bool {
    let names = names(context)
    return keymap.bindings.contains {
      $0.line != nil && names.contains($0.context) && $0.sequence.keys.starts(with: keys)
    }
  }

  /// The bindings of one context, in the order in which help shows them.
  package func bindings(in context: KeyBinding.Context) -> [KeyBinding] {
    bindings.filter { $0.context == context }
  }

  /// A key file with every key of the table, each commented out: the output of `--print-keys`.
  package func commentedFile(_ localizer: Localizer) -> String {
    var text = localizer("keysfile.head") + "\n"
    for context in KeyBinding.Context.allCases {
      text += "\n[\(context.rawValue)]\n"
      for binding in bindings(in: context) {
        for sequence in binding.sequences {
          let line =
            "#\"\(KeySequence(sequence).description.escapedForTOML)\" = \"\(binding.action.rawValue)\""
          text +=
            line.padded(columns: max(34, line.columns))
            + " # \(localizer(binding.descriptionKey))\n"
        }
      }
    }
    return text
  }

  /// The conflicts of the bindings: keys bound twice, chords that terminals cannot send.
  package var problems: [Keymap.Problem] { keymap.problems() }

  /// The continuations of `prefix`: the rows of the which-key window.
  package func continuations(of prefix: [Key], in context: KeyBinding.Context)
    -> [(keys: [Key], binding: KeyBinding)]
  {
    keymap.continuations(of: prefix, in: names(context)).compactMap { keys, command in
      bindings.first { $0.action.rawValue == command }.map { (keys.keys, $0) }
    }
  }

  private func names(_ context: KeyBinding.Context) -> [String] {
    let order: [KeyBinding.Context] =
      switch context {
      case .everywhere, .editing: [context]
      case .input: [context, .everywhere, .editing]
      case .messages, .list: [context, .everywhere]
      }
    return order.map(\.rawValue)
  }
}

extension String {
  nonisolated fileprivate var escapedForTOML: String {
    replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
