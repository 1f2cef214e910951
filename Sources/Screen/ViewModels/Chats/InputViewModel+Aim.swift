import NatterCore
import Text
import XMPP

/// The purpose of the input, where it is no message of its own.
nonisolated package enum ComposeMode: Hashable, Sendable {
  /// A correction of a message; the previous input comes back after it.
  case edit(Message, before: String)
  /// To answer a message.
  case reply(Message)

  /// The thread of what is typed, as it is when that is sent.
  var thread: ThreadChoice {
    switch self {
    case .reply(let message), .edit(let message, _): .given(message.thread)
    }
  }
}

extension InputViewModel {
  /// The purpose of the input in this conversation; `nil`: it is a message of its own.
  package var aim: ComposeMode? { conversation.flatMap { memory.aims[$0] } }

  /// Puts a message in, to be corrected. It is no draft: a crash leaves what was typed before.
  package func beginEdit(of message: Message) {
    guard let conversation, message.conversation == conversation else { return }
    endAim()
    saveDraft()
    memory.aims[conversation] = .edit(message, before: text)
    replaceText(message.body.asTyped)
  }

  /// Has what is typed answer a message.
  package func beginReply(to message: Message) {
    guard let conversation, message.conversation == conversation else { return }
    endAim()
    memory.aims[conversation] = .reply(message)
    invalidation.raise()
  }

  /// Has what is typed be a message of its own again.
  /// - Returns: whether it was none.
  @discardableResult package func endAim() -> Bool {
    if let before = memory.setAside.removeValue(forKey: conversation) {
      replaceText(before)
      return true
    }
    guard let conversation, let aim = memory.aims.removeValue(forKey: conversation) else {
      return false
    }
    if case .edit(_, let before) = aim { replaceText(before) }
    invalidation.raise()
    return true
  }

  /// The input before a message was loaded for correction, or a command chosen elsewhere.
  var heldDraft: String? {
    if case .edit(_, let before) = aim { before } else { memory.setAside[conversation] }
  }

  /// The text that is kept as the draft of this conversation.
  var draft: String { heldDraft ?? text }
}
