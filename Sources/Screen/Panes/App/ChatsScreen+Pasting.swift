import Terminal
import ViewModels

// Pastes, and the question about a large one.
extension ChatsScreen {
  package func paste(_ text: String) {
    if focus.current == .sidebar, sidebar.handlePaste(text) == .handled { return }
    if layout.tooSmall == nil {
      if layout.input == nil { conversationOpened() }
      focus.focus(.input)
    }
    _ = input.handlePaste(shell.paste(text))
  }

  /// Takes a key that answers the question about a large paste. Others work as always: text that is
  /// typed without seeing the question follows the paste when that is inserted.
  /// - Returns: whether it was one.
  func answersPaste(_ key: Key) -> Bool {
    guard focus.current == .input, let paste = shell.input.pendingPaste else { return false }
    switch (key.code, key.modifiers) {
    case (.enter, []):
      shell.answerPaste(inserts: true)
      if paste.isToBeSent { shell.submit() }
    case (.escape, []), (.character("g"), .control):
      if paste.isToBeSent {
        shell.askToSendPaste(false)
      } else {
        shell.answerPaste(inserts: false)
      }
    case (.character("c"), .control): shell.answerPaste(inserts: false)
    case (.character("s"), []) where !shell.input.isTypedOn && !paste.isToBeSent:
      shell.askToSendPaste(true)
    case (.backspace, []) where paste.isToBeSent: shell.askToSendPaste(false)
    default:
      guard paste.isToBeSent else { return false }
      shell.askToSendPaste(false)
      // It was the beginning of a word.
      if case .character = key.code, key.modifiers.isEmpty {
        if !input.takesFirst(.character("s")) { _ = input.handle(.character("s")) }
      }
      return false
    }
    return true
  }
}
