import Foundation
import NatterCore
import TestSupport
import XMPP

/// An outbox on a disk that has no room for what became of a message elsewhere.
struct HalfStore: OutboxStoring, DeliveryStoring, AttemptStoring {
  private let whole: MemoryMessageStore

  init(_ whole: MemoryMessageStore) { self.whole = whole }

  var relations: any RelationStoring { whole.relations }

  func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, thread: ThreadChoice,
    to conversation: JID, from sender: JID, originID: String, at date: Date, by program: String?
  ) async throws -> (message: Message, conversation: Conversation) {
    try await whole.enqueue(
      body: body, file: file, reply: reply, thread: thread, to: conversation, from: sender,
      originID: originID, at: date, by: program)
  }
  func takeOver(
    _ body: String, thread: Message.Thread?, to conversation: JID, from sender: JID,
    originID: String, typedAt date: Date, fate: HandoffState
  ) async throws -> HandoffResult {
    if fate != .unsent { throw NatterError(.storage, "error.storage") }
    return try await whole.takeOver(
      body, thread: thread, to: conversation, from: sender, originID: originID, typedAt: date,
      fate: fate)
  }
  func shiftWaiting(by seconds: TimeInterval) async throws {
    try await whole.shiftWaiting(by: seconds)
  }
  func queued() async throws -> [Message] { await whole.queued() }
  func attempts() async throws -> [String: Date] { await whole.attempts() }
  func refusals() async throws -> [String: RefusedCopies] { await whole.refusals() }
  func closeRefusal(of originID: String, copies: Set<String>) async throws {
    try await whole.closeRefusal(of: originID, copies: copies)
  }
  func suspects() async throws -> [String] { await whole.suspects() }
  func setSuspects(_ originIDs: Set<String>) async throws {
    try await whole.setSuspects(originIDs)
  }
  func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String> {
    try await whole.markAttempted(originIDs, at: date)
  }
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws -> Message? {
    try await whole.setDelivery(delivery, ofOriginID: originID)
  }
  func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID) async throws
    -> Message?
  {
    try await whole.setDelivery(delivery, ofOriginID: originID, sentTo: peer)
  }
  func giveUp(_ originID: String, reason: String) async throws -> Message? {
    try await whole.giveUp(originID, reason: reason)
  }
  func requeue(_ id: Message.ID, at date: Date) async throws -> Message? {
    try await whole.requeue(id, at: date)
  }
  func expire(queuedBefore date: Date, reason: String) async throws -> [Message] {
    try await whole.expire(queuedBefore: date, reason: reason)
  }
  func remove(_ id: Message.ID) async throws -> OutboxRemoval? { try await whole.remove(id) }
}
