import Foundation
import NatterCore
import XMPP

/// The message ports over arrays: the same promises as the database's, for tests of services and
/// view models.
package actor MemoryMessageStore: MessageStoring, OutboxStoring, DeliveryStoring, AttemptStoring,
  RelationStoring, TimelineReading
{
  package private(set) var all: [Message] = []
  private var held: String?
  private let (holding, isHolding) = AsyncStream<Void>.makeStream()
  private let (release, releasing) = AsyncStream<Void>.makeStream()
  private var nextID: Int64 = 0
  /// Thrown by every write while it is set.
  package var failure: NatterError?

  package init() {}

  package func fail(with failure: NatterError?) { self.failure = failure }

  package func insert(
    _ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool
  ) throws -> StoredMessages {
    if let failure { throw failure }
    var new: [Message] = []
    for incoming in messages where !isKnown(incoming) {
      nextID += 1
      let message = Message(
        id: .init(nextID), conversation: incoming.conversation, sender: incoming.sender,
        direction: incoming.direction, body: incoming.body, sentAt: incoming.sentAt,
        placedAt: incoming.placedAt,
        originID: incoming.originID, stanzaID: incoming.stanzaID, isDelayed: incoming.isDelayed
      ).inThread(incoming.thread)
      all.append(message)
      new.append(message)
    }
    let changed = Set(new.map(\.conversation)).map { Conversation(jid: $0, unread: new.count) }
    return StoredMessages(messages: new, conversations: changed)
  }

  package func arrived(of account: JID) throws -> IncomingMessage.Arrived {
    if let failure { throw failure }
    return .init(newest: .init(nextID), stretch: nil)
  }

  private func isKnown(_ message: IncomingMessage) -> Bool {
    all.contains {
      $0.conversation == message.conversation
        && ($0.stanzaID != nil && $0.stanzaID == message.stanzaID
          || $0.originID != nil && $0.originID == message.originID
            && $0.sender.bare == message.sender.bare)
    }
  }

  package func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, thread: ThreadChoice,
    to conversation: JID, from sender: JID, originID: String, at date: Date,
    by program: String?
  ) throws -> (message: Message, conversation: Conversation) {
    if let failure { throw failure }
    nextID += 1
    let message = Message(
      id: .init(nextID), conversation: conversation, sender: sender, direction: .outgoing,
      body: body, sentAt: date, originID: originID, delivery: .queued, file: file, reply: reply
    ).inThread(self.thread(thread, in: conversation)).sent(by: program)
    all.append(message)
    return (message, Conversation(jid: conversation))
  }

  /// The rule of the database, for conversations with contacts.
  private func thread(_ choice: ThreadChoice, in conversation: JID) -> Message.Thread? {
    if case .given(let thread) = choice { return thread }
    return all.last { $0.conversation == conversation && $0.direction == .incoming }?.thread
  }

  package func takeOver(
    _ body: String, thread: Message.Thread?, to conversation: JID, from sender: JID,
    originID: String, typedAt date: Date, fate: HandoffState
  ) throws -> HandoffResult {
    let known = all.first { $0.originID == originID && $0.conversation == conversation }
    let stored =
      try known
      ?? enqueue(
        body: body, file: nil, reply: nil, thread: .given(thread), to: conversation, from: sender,
        originID: originID, at: date, by: nil
      ).message
    var changed: Message?
    switch fate {
    case .unsent: break
    case .attempted(let since): try markAttempted([originID], at: since)
    case .refused(let reason):
      try markAttempted([originID], at: date)
      changed = try setDelivery(
        .failed(reason: reason), ofOriginID: originID, sentTo: conversation)
    }
    return HandoffResult(
      message: changed ?? stored, conversation: Conversation(jid: conversation),
      isNew: known == nil, isChanged: known != nil && changed != nil)
  }

  /// When messages were first written, by origin-id.
  package private(set) var attempted: [String: Date] = [:]

  package func attempts() -> [String: Date] {
    let queued = Set(queued().compactMap(\.originID))
    return attempted.filter { queued.contains($0.key) }
  }

  @discardableResult
  package func markAttempted(_ originIDs: [String], at date: Date) throws -> Set<String> {
    if let failure { throw failure }
    let waiting = Set(queued().compactMap(\.originID)).intersection(originIDs)
    for id in waiting where attempted[id] == nil { attempted[id] = date }
    return waiting
  }

  private var refused: [String: RefusedCopies] = [:]
  package func refusals() -> [String: RefusedCopies] {
    let queued = Set(queued().compactMap(\.originID))
    return refused.filter { queued.contains($0.key) }
  }

  package func closeRefusal(of originID: String, copies: Set<String>) throws {
    if let failure { throw failure }
    refused[originID] = .init(
      ids: (refused[originID]?.ids ?? []).union(copies), isOpen: false)
  }

  private var marked: Set<String> = []
  package func suspects() -> [String] {
    queued().compactMap(\.originID).filter(marked.contains)
  }
  package func setSuspects(_ originIDs: Set<String>) throws {
    if let failure { throw failure }
    marked = originIDs
  }

  package func queued() -> [Message] { all.filter { $0.delivery == .queued } }

  /// Has the next `setDelivery` of that message return, or its `remove` begin, only when `letGo` is
  /// called.
  package func hold(_ originID: String) { held = originID }
  package func waitsForHold() async { for await _ in holding {} }
  package func letGo() { releasing.finish() }

  package func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws
    -> Message?
  {
    let changed = try change(originID, to: delivery) { _ in true }
    await waits(for: originID)
    return changed
  }

  private func waits(for originID: String?) async {
    guard let held, originID == held else { return }
    self.held = nil
    isHolding.finish()
    for await _ in release {}
  }

  package func setDelivery(
    _ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID
  ) throws -> Message? {
    try change(originID, to: delivery) { $0.conversation == peer || $0.conversation == peer.bare }
  }

  private func change(
    _ originID: String, to delivery: Delivery, forgetting: Bool = true,
    where isMeant: (Message) -> Bool
  ) throws -> Message? {
    if let failure { throw failure }
    guard
      let index = all.firstIndex(where: {
        $0.originID == originID && $0.direction == .outgoing && isMeant($0)
      }), all[index].delivery != delivery
    else { return nil }
    if case .failed = delivery, forgetting {
      if attempted[originID] != nil {
        refused[originID, default: .init(isOpen: true)].isOpen = true
      }
      attempted[originID] = nil
    }
    if delivery == .queued { attempted[originID] = nil }
    let old = all[index]
    all[index] = Message(
      id: old.id, conversation: old.conversation, sender: old.sender, direction: old.direction,
      body: old.body, sentAt: old.sentAt, placedAt: old.position.time, originID: old.originID,
      stanzaID: old.stanzaID,
      delivery: delivery, isDelayed: old.isDelayed, reply: old.reply, replaces: old.replaces,
      effect: old.effect
    ).inThread(old.thread)
    return all[index]
  }

  package func giveUp(_ originID: String, reason: String) throws -> Message? {
    try change(originID, to: .failed(reason: reason), forgetting: false) { $0.delivery == .queued }
  }

  package func requeue(_ id: Message.ID, at date: Date) throws -> Message? {
    guard let message = all.first(where: { $0.id == id }), let originID = message.originID,
      case .failed = message.delivery
    else { return nil }
    requeued[originID] = date
    let (attempt, result) = (
      attempted[originID], try change(originID, to: .queued) { _ in true }
    )
    attempted[originID] = attempt
    return result
  }

  /// When messages were queued again, by origin-id.
  package private(set) var requeued: [String: Date] = [:]

  package func shiftWaiting(by seconds: TimeInterval) throws {
    for message in queued() {
      guard let originID = message.originID else { continue }
      requeued[originID] = (requeued[originID] ?? message.sentAt) + seconds
    }
  }

  package func expire(queuedBefore date: Date, reason: String) throws -> [Message] {
    try queued().compactMap { message in
      guard let originID = message.originID, requeued[originID] ?? message.sentAt < date else {
        return nil
      }
      return try change(originID, to: .failed(reason: reason), forgetting: false) { _ in true }
    }
  }

  package func remove(_ id: Message.ID) async throws -> OutboxRemoval? {
    if let failure { throw failure }
    await waits(for: all.first { $0.id == id }?.originID)
    guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
    switch all[index].delivery {
    case .queued, .failed:
      all.remove(at: index)
      return .gone
    default: return nil
    }
  }

  package nonisolated var relations: any RelationStoring { self }

  /// Leaves the message as it is: the reaction is one more that is queued.
  package func enqueueReaction(
    _ emoji: String, to id: Message.ID, from sender: JID, originID: String, at date: Date
  ) throws -> Message? {
    try enqueue(.reaction, emoji, to: id, from: sender, originID: originID, at: date)
  }

  /// The same.
  package func enqueueRetraction(
    of id: Message.ID, from sender: JID, originID: String, at date: Date
  ) throws -> OutboxRetraction? {
    try enqueue(.retraction, "", to: id, from: sender, originID: originID, at: date)
      .map { .retracted([$0]) }
  }

  private func enqueue(
    _ effect: Message.Effect, _ body: String, to id: Message.ID, from sender: JID,
    originID: String, at date: Date
  ) throws -> Message? {
    if let failure { throw failure }
    guard let target = all.first(where: { $0.id == id }) else { return nil }
    nextID += 1
    all.append(
      Message(
        id: .init(nextID), conversation: target.conversation, sender: sender, direction: .outgoing,
        body: body, sentAt: date, originID: originID, delivery: .queued,
        replaces: target.originID, effect: effect))
    return target
  }

  private func ordered(_ conversation: JID) -> [Message] {
    all.filter { $0.conversation == conversation }.sorted { $0.position < $1.position }
  }

  package func latest(_ count: Int, in conversation: JID) -> [Message] {
    ordered(conversation).suffix(count)
  }

  package func messages(before position: MessagePosition, _ count: Int, in conversation: JID)
    -> [Message]
  {
    ordered(conversation).filter { $0.position < position }.suffix(count)
  }

  package func messages(after position: MessagePosition, _ count: Int, in conversation: JID)
    -> [Message]
  {
    Array(ordered(conversation).filter { $0.position > position }.prefix(count))
  }

  package func messages(inThread id: String, _ count: Int, in conversation: JID) -> [Message] {
    ordered(conversation).filter { $0.thread?.id == id }.suffix(count)
  }

  package func storedMessage(_ id: Message.ID) -> Message? { all.first { $0.id == id } }
  package func storedMessage(named id: String, in conversation: JID) -> Message? {
    all.last { $0.conversation == conversation && ($0.stanzaID == id || $0.originID == id) }
  }

  /// Unlike the database, leaves the message as it is: the correction is one more that is queued.
  package func enqueueCorrection(
    of id: Message.ID, body: String, from sender: JID, originID: String, at date: Date
  ) throws -> Message? {
    if let failure { throw failure }
    guard let target = all.first(where: { $0.id == id }) else { return nil }
    nextID += 1
    let message = Message(
      id: .init(nextID), conversation: target.conversation, sender: sender, direction: .outgoing,
      body: body, sentAt: date, originID: originID, delivery: .queued, reply: target.reply,
      replaces: target.originID)
    all.append(message)
    return message
  }
}
