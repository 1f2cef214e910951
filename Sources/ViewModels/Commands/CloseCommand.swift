import NatterCore

extension Command {
  /// `/close`: hides the open conversation; its messages stay.
  package static let close = Command("close") { _, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.close(jid)
  }
}
