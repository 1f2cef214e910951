import NatterCore
import Text
import XMPP

/// Sends what the user types with names in colons replaced by their emoji, where the user wants
/// that.
nonisolated package struct EmojiSender: MessageSending, MessageRelating {
  private let sender: any MessageSending & MessageRelating
  private let names: @MainActor @Sendable () -> EmojiNames?

  /// - Parameter names: the names that are replaced; `nil`: texts are sent as they were typed.
  package init(
    _ sender: any MessageSending & MessageRelating,
    names: @escaping @MainActor @Sendable () -> EmojiNames?
  ) {
    (self.sender, self.names) = (sender, names)
  }

  private func outgoing(_ body: String) async -> String {
    await names()?.replacingNames(in: body) ?? body
  }

  @discardableResult package func send(_ body: String, to conversation: JID) async throws
    -> Message
  {
    try await sender.send(await outgoing(body), to: conversation)
  }

  package func retry(_ message: Message) async throws { try await sender.retry(message) }

  package func cancel(_ message: Message) async throws { try await sender.cancel(message) }

  @discardableResult package func send(_ body: String, replyingTo message: Message) async throws
    -> Message
  {
    try await sender.send(await outgoing(body), replyingTo: message)
  }

  package func correct(_ message: Message, with body: String) async throws {
    try await sender.correct(message, with: await outgoing(body))
  }

  package func react(_ emoji: String, to message: Message) async throws {
    try await sender.react(emoji, to: message)
  }

  package func retract(_ message: Message) async throws { try await sender.retract(message) }
}
