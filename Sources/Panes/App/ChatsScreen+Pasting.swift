import Terminal
import ViewModels

/// The answers to the question about a large paste. It stands in nobody's way: whoever types on means the paste to be there.
extension ChatsScreen {
  /// Whether `key` was an answer, and nothing else.
  func answersPaste(_ key: Key) -> Bool {
    if sendsPaste {
      // More came with the s: it was the first letter of something.
      sendsPaste = false
      insertPaste()
      _ = input.handle(.character("s"))
      return false
    }
    switch (key.code, key.modifiers) {
    case (.enter, []): insertPaste()
    case (.character("s"), []):
      sendsPaste = true
      // What one read of the terminal brought is dealt with in one go, and this after it.
      Task { [weak self] in self?.sendPaste() }
    case (.escape, []), (.character("g"), .control), (.character("c"), .control):
      _ = shell.answerPaste(inserts: false)
    case (.character, []), (.character, .shift):
      insertPaste()
      return false
    default: return false
    }
    return true
  }

  private func insertPaste() {
    focus.focus(.input)
    _ = input.handlePaste(shell.answerPaste(inserts: true))
  }

  private func sendPaste() {
    guard sendsPaste else { return }
    sendsPaste = false
    insertPaste()
    shell.submit()
  }
}
