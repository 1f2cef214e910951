import Synchronization
import Terminal

/// The index for looking up keys in a table. It is built at the first key press: at startup the
/// user waits for a frame, and the frame needs only the table.
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
          // The table contains the twins; if an Alt chord has none, `^X` and its letter mean
          // something else.
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
