import XMPP

/// The user's activity in a conversation, as far as the peer may know it (XEP-0085).
package enum ChatActivity: Hashable, Sendable {
  /// Typing a message.
  case composing
  /// Stopped typing, with text left in the input.
  case paused
  /// Views the conversation, without typed text.
  case active
  /// Sent a message, which itself implies the end of typing.
  case sent
  /// Closed the conversation.
  case gone
}

/// Reports the user's activity to the peer, if the peer supports it and may know it.
package protocol ChatActivityReporting: Sendable {
  /// - Parameters:
  ///   - conversation: a contact's bare address; rooms and strangers receive no report.
  ///   - thread: the thread of the text that is typed: the report is in it, too (XEP-0201).
  func report(_ activity: ChatActivity, in conversation: JID, thread: ThreadChoice) async
}
