import Synchronization
import Terminal

/// What the keys of a table are looked up in. It is made when the first one is pressed: who starts the program waits for a frame,
/// and the frame needs the table alone.
nonisolated final class KeyIndex: Sendable {
  private let bindings: [KeyBinding]
  private let made: Mutex<Keymap?>

  init(of bindings: [KeyBinding]) {
    self.bindings = bindings
    made = Mutex(nil)
  }

  init(_ keymap: Keymap) {
    bindings = []
    made = Mutex(keymap)
  }

  var keymap: Keymap {
    made.withLock { made in
      if let made { return made }
      var keymap = Keymap()
      for binding in bindings {
        for sequence in binding.sequences {
          // Twins are in the table; where an Alt chord has none, `^X` and its letter mean something else.
          keymap.bind(
            KeySequence(sequence), to: binding.action.rawValue, in: binding.context.rawValue,
            addsTwin: false)
        }
      }
      made = keymap
      return keymap
    }
  }
}
