import Terminal

// The other keymaps of the program (interface.md, "Keys"), each derived from the first one.
extension KeyBindingTable {
  /// `emacs`: in the input line all keys are readline's; the program's own actions on those keys
  /// are behind `^X`, and in the other panes.
  ///
  /// Its Alt chords have no twins: `^X` and the letter is the program's there, too.
  package static let emacs = KeyBindingTable(
    natter.bindings.map { binding in
      switch (binding.context, binding.action) {
      case (.input, .historyOlder): binding.adding(last: [.control("p")])
      case (.input, .historyNewer): binding.adding(last: [.control("n")])
      default: binding
      }
    } + [
      KeyBinding(.forwardCharacter, in: .input, keys: [.control("f")]),
      KeyBinding(.sendAndNext, in: .input, keys: [.control("o")]),
      KeyBinding(.transposeWords, in: .input, keys: [.alt("t")]),
      KeyBinding(.lowerWord, in: .input, keys: [.alt("l")]),
      KeyBinding(.upperWord, in: .input, keys: [.alt("u")]),
      KeyBinding(.revertLine, in: .input, keys: [.alt("r")]),
    ])

  /// `slack`: `^K` opens the palette; the user can bind another key to its editing action.
  package static let slack = KeyBindingTable(
    natter.bindings.map { binding in
      binding.action == .palette ? binding.adding(first: [.control("k")]) : binding
    })

  /// `vi`: the program's own keys, with an input line that has two modes. In it an Alt chord is Esc
  /// and a letter, so hints and help prefer the twins of chords.
  package static let vi = KeyBindingTable(
    natter.bindings.map { binding in
      let chords = binding.sequences.filter { $0.count == 1 && $0[0].withoutAlt != nil }
      return KeyBinding(
        binding.action, in: binding.context, hinted: binding.isHinted,
        sequences: binding.sequences.filter { !chords.contains($0) } + chords)
    })

  /// This table with F8 for a sixth tab, if there is one and the key is free.
  package func reaching(_ tabs: [SubAppTab]) -> KeyBindingTable {
    let key = [Key(.function(8))]
    guard tabs.contains(where: { $0.position == KeyAction.tabs.count }),
      match(key, in: .everywhere) == .none,
      !bindings.contains(where: { $0.action == .tab6 })
    else { return self }
    let position = bindings.firstIndex { $0.action == .tab5 }.map { $0 + 1 } ?? 0
    var (bindings, keymap) = (bindings, keymap)
    bindings.insert(KeyBinding(.tab6, in: .everywhere, sequences: [key]), at: position)
    keymap.bind(
      KeySequence(key), to: KeyAction.tab6.rawValue, in: KeyBinding.Context.everywhere.rawValue)
    return KeyBindingTable(bindings, keymap)
  }

  /// The contexts in which each action is useful: those in which a table of the program binds it.
  package static let contexts: [KeyAction: Set<KeyBinding.Context>] = {
    var contexts: [KeyAction: Set<KeyBinding.Context>] = [:]
    for binding in emacs.bindings + natter.enteringLines.bindings {
      contexts[binding.action, default: []].insert(binding.context)
    }
    return contexts
  }()

  /// This table with Enter as the key for a new line (`ui.enter`): a message is then sent by
  /// Alt+Enter, its twin after `^X`, and Ctrl+Enter where the terminal distinguishes it from Enter.
  package var enteringLines: KeyBindingTable {
    let sending: [[Key]] = [[Key(.enter, .alt)], [Key(.enter, .control)], [.control("x"), .enter]]
    return KeyBindingTable(
      bindings.flatMap { binding in
        switch (binding.context, binding.action) {
        case (.input, .send):
          [
            KeyBinding(.send, in: .input, hinted: true, sequences: sending),
            KeyBinding(.newLineOrRun, in: .input, keys: [.enter]),
          ]
        case (.input, .newLine):
          [
            KeyBinding(
              .newLine, in: .input, hinted: binding.isHinted,
              sequences: binding.sequences.filter { !sending.contains($0) })
          ]
        default: [binding]
        }
      })
  }
}

extension KeyAction {
  /// The contexts in which it is useful, whatever the user's bindings.
  package var contexts: [KeyBinding.Context] {
    if Self.tabs.contains(self) { return [.everywhere] }
    return KeyBinding.Context.allCases.filter {
      KeyBindingTable.contexts[self]?.contains($0) == true
    }
  }
}
