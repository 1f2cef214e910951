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

  package init(_ bindings: [KeyBinding]) { self.bindings = bindings }

  /// What `keys` mean in `context`, that context's own bindings first.
  package func match(_ keys: [Key], in context: KeyBinding.Context) -> Match {
    var result = Match.none
    for wanted in [context, .everywhere] {
      for binding in bindings where binding.context == wanted {
        for sequence in binding.sequences {
          if sequence == keys { return .action(binding.action) }
          if sequence.count > keys.count, sequence.starts(with: keys) { result = .prefix }
        }
      }
      if context == .everywhere { break }
    }
    return result
  }

  /// The bindings of one context, in the order help shows them.
  package func bindings(in context: KeyBinding.Context) -> [KeyBinding] {
    bindings.filter { $0.context == context }
  }

  /// What can follow `prefix`: the rows of the which-key window.
  package func continuations(of prefix: [Key], in context: KeyBinding.Context)
    -> [(key: Key, binding: KeyBinding)]
  {
    bindings.filter { $0.context == .everywhere || $0.context == context }.flatMap { binding in
      binding.sequences.compactMap { sequence in
        sequence.count == prefix.count + 1 && sequence.starts(with: prefix)
          ? (sequence[prefix.count], binding) : nil
      }
    }
  }
}
