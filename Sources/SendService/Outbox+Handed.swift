import FoundationEssentials
import NatterCore
import XMPP

extension Outbox {
  /// Takes over a message that another program of this person could not send. Done twice it is there once.
  /// - Parameter attemptedAt: since when that program may have brought it to the server; `nil`: it has not.
  package func takeOver(
    _ body: String, originID: String, to conversation: JID, typedAt: Date, attemptedAt: Date?
  ) async throws {
    let taken = try await store.takeOver(
      body, to: conversation, from: account, originID: originID, typedAt: typedAt,
      fate: attemptedAt.map { .attempted($0) } ?? .unsent)
    tell(taken)
    await flush()
  }

  /// Takes over a message that another program of this person sent, and that the server refused: it is here as one that failed,
  /// also where a copy of it came as sent (XEP-0280). Done twice it is there once.
  /// - Parameter reason: why it was refused, as a sentence.
  package func takeOver(
    _ body: String, originID: String, to conversation: JID, typedAt: Date, refusedFor reason: String
  ) async throws {
    tell(
      try await store.takeOver(
        body, to: conversation, from: account, originID: originID, typedAt: typedAt,
        fate: .refused(reason: reason)))
  }

  private func tell(_ taken: HandoffResult) {
    if taken.isNew {
      hub.publish(.messagesStored([taken.message]))
    } else if taken.isChanged {
      hub.publish(.messagesChanged([taken.message]))
    }
    hub.publish(.conversationsChanged([taken.conversation]))
  }
}
