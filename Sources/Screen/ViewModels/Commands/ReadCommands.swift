import NatterCore

// Commands that mark conversations as read and unread.
enum ReadCommands {
  static let all = [read, unread]

  /// `/read [all]`: marks this conversation, or all, as read.
  private static let read = Command("read", [.allConversations]) { call, context in
    switch call.rest.lowercased() {
    case "":
      guard let jid = context.activeConversation else {
        throw NatterError(.invalidInput, "error.noConversation")
      }
      context.tools.readMarks.markRead(jid)
    case "all": context.tools.readMarks.markAllRead()
    default: throw NatterError(.invalidInput, "error.badRead", ["text": call.rest])
    }
  }

  /// `/unread [here]`: goes to the next unread conversation, or marks this one as unread.
  private static let unread = Command("unread", [.thisConversation]) { call, context in
    switch call.rest.lowercased() {
    case "": _ = context.actions.perform("nextUnread")
    case "here":
      guard let jid = context.activeConversation else {
        throw NatterError(.invalidInput, "error.noConversation")
      }
      context.tools.readMarks.markUnread(jid)
    default: throw NatterError(.invalidInput, "error.badUnread", ["text": call.rest])
    }
  }
}
