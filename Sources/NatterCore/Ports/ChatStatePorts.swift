import XMPP

/// What the person is doing in a conversation, as far as the other side may know (XEP-0085).
package enum ChatActivity: Hashable, Sendable {
  /// Typing a message.
  case composing
  /// Has typed and stopped, with something left in the input.
  case paused
  /// Looks at it, with nothing typed.
  case active
  /// Has sent a message, which itself says that typing is over.
  case sent
  /// Has closed it.
  case gone
}

/// Tells the other side what the person is doing, where it understands that and may know.
package protocol ChatActivityReporting: Sendable {
  /// - Parameter conversation: a contact's bare address; rooms and strangers are told nothing.
  func report(_ activity: ChatActivity, in conversation: JID) async
}
