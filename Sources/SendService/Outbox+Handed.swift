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

  /// Takes over a message that another program of this person sent, and that the server refused: it is here as one that failed,
  /// also where a copy of it came as sent (XEP-0280). Done twice it is there once.
  /// - Parameter reason: why it was refused, as a sentence.
  package func takeOver(
    _ body: String, originID: String, to conversation: JID, typedAt: Date, refusedFor reason: String
  ) async throws {
    // It is in the outbox for a moment, and not to be sent: nor where what follows fails, and is done again.
    leaving.insert(originID)
    let stored = try await store.enqueue(
      body: body, file: nil, reply: nil, to: conversation, from: account, originID: originID,
      at: typedAt)
    try await store.markAttempted([originID], at: typedAt)
    let changed = try await store.setDelivery(
      .failed(reason: reason), ofOriginID: originID, sentTo: conversation)
    leaving.remove(originID)
    if stored.message.delivery == .queued {
      hub.publish(.messagesStored([changed ?? stored.message]))
    } else if let changed {
      hub.publish(.messagesChanged([changed]))
    }
    hub.publish(.conversationsChanged([stored.conversation]))
  }
}
