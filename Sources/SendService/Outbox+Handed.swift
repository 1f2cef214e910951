import FoundationEssentials
import NatterCore
import XMPP

extension Outbox {
  /// Takes over a message that another program of this person could not send. Done twice it is there once.
  /// - Parameter attemptedAt: since when that program may have brought it to the server; `nil`: it has not.
  package func takeOver(
    _ body: String, originID: String, to conversation: JID, typedAt: Date, attemptedAt: Date?
  ) async throws {
    let stored = try await store.enqueue(
      body: body, file: nil, reply: nil, to: conversation, from: account, originID: originID,
      at: typedAt)
    if let attemptedAt { try await store.markAttempted([originID], at: attemptedAt) }
    hub.publish(.messagesStored([stored.message]))
    hub.publish(.conversationsChanged([stored.conversation]))
    await flush()
  }
}
