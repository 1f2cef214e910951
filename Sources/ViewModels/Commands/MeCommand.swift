import NatterCore

extension Command {
  /// `/me ACTION`: tells what one does (XEP-0245); it travels as it is typed.
  package static let me = Command("me", [.text], required: 1) { call, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.send("/me " + call.rest, to: jid)
  }
}
