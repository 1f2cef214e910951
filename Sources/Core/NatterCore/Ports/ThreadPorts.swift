import XMPP

/// Reads the thread that a conversation is in (XEP-0201).
package protocol ThreadReading: Sendable {
  /// Returns the thread that a text to `conversation` is sent in, unless it answers a message of
  /// another one (`ThreadChoice.ofConversation`); `nil`: none.
  func thread(of conversation: JID) async throws -> Message.Thread?
}
