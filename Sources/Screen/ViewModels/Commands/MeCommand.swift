import NatterCore

extension Command {
  /// `/me ACTION`: describes an action of the user (XEP-0245); the line is sent as entered.
  package static let me = Command("me", [.text], required: 1) { call, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.send("/me " + call.rest, to: jid)
  }
}
