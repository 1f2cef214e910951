import Terminal

/// The keymap that is loaded: help, the hint bar and the dispatch of keys all read this one table.
nonisolated package struct KeyBindingTable: Hashable, Sendable {
  /// What a sequence of key presses means.
  package enum Match: Hashable, Sendable {
    case none
    /// The beginning of a longer sequence.
    case prefix
    case action(KeyAction)
  }

  package let bindings: [KeyBinding]
  private let keymap: Keymap

  package init(_ bindings: [KeyBinding]) {
    self.bindings = bindings
    var keymap = Keymap()
    for binding in bindings {
      for sequence in binding.sequences {
        keymap.bind(
          KeySequence(sequence), to: binding.action.rawValue, in: binding.context.rawValue)
      }
    }
    self.keymap = keymap
  }

  package static func == (left: KeyBindingTable, right: KeyBindingTable) -> Bool {
    left.bindings == right.bindings
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bindings) }

  /// What `keys` mean in `context`, that context's own bindings first.
  package func match(_ keys: [Key], in context: KeyBinding.Context) -> Match {
    switch keymap.lookup(keys, in: names(context)) {
    case .none: .none
    case .prefix: .prefix
    case .command(let name): KeyAction(rawValue: name).map { .action($0) } ?? .none
    }
  }

  /// The bindings of one context, in the order help shows them.
  package func bindings(in context: KeyBinding.Context) -> [KeyBinding] {
    bindings.filter { $0.context == context }
  }

  /// What is wrong with the bindings: keys bound twice, chords that terminals cannot send.
  package var problems: [String] { keymap.problems().map(\.text) }

  /// What can follow `prefix`: the rows of the which-key window.
  package func continuations(of prefix: [Key], in context: KeyBinding.Context)
    -> [(keys: [Key], binding: KeyBinding)]
  {
    keymap.continuations(of: prefix, in: names(context)).compactMap { keys, command in
      bindings.first { $0.action.rawValue == command }.map { (keys.keys, $0) }
    }
  }

  private func names(_ context: KeyBinding.Context) -> [String] {
    context == .everywhere
      ? [context.rawValue] : [context.rawValue, KeyBinding.Context.everywhere.rawValue]
  }
}
