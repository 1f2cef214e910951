import FoundationEssentials
import NatterCore
import XMPP

extension Outbox {
  /// Takes over a message that another process of the user could not send. Idempotent.
  /// - Parameters:
  ///   - thread: the thread that it belongs to; `nil`: that of the conversation.
  ///   - attemptedAt: since when that process may have sent it; `nil`: it has not.
  package func takeOver(
    _ body: String, thread: Message.Thread? = nil, originID: String, to conversation: JID,
    typedAt: Date, attemptedAt: Date?
  ) async throws {
    let taken = try await store.takeOver(
      body, thread: thread, to: conversation, from: account, originID: originID, typedAt: typedAt,
      fate: attemptedAt.map { .attempted($0) } ?? .unsent)
    report(taken)
    await flush(searches: false)
  }

  /// Takes over a message that another process of the user sent and the server refused: it is
  /// stored as failed, also if a carbon of it arrived as sent (XEP-0280). Idempotent.
  /// - Parameter reason: why it was refused, as a sentence.
  package func takeOver(
    _ body: String, originID: String, to conversation: JID, typedAt: Date, refusedFor reason: String
  ) async throws {
    report(
      try await store.takeOver(
        body, to: conversation, from: account, originID: originID, typedAt: typedAt,
        fate: .refused(reason: reason)))
  }

  private func report(_ taken: HandoffResult) {
    if taken.isNew {
      hub.publish(.messagesStored([taken.message]))
    } else if taken.isChanged {
      hub.publish(.messagesChanged([taken.message]))
    }
    hub.publish(.conversationsChanged([taken.conversation]))
  }
}
