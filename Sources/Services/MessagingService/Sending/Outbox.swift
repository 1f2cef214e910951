import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The outbox of one account: sends local messages in order (flows.md, "Sending").
///
/// A message is in the database before its first byte is sent, and stays `.queued` until the server
/// has acknowledged it: neither a lost connection nor a killed program loses it. `DeliveryTracker`
/// follows what becomes of it, `OutboxRecovery` looks for it in the archive before it is sent
/// again, `PoisonGuard` and `ExpiryPolicy` decide when it fails. They run in the isolation of the
/// outbox, and share `OutboxState`.
package actor Outbox: MessageSending, MessageRelating, FileMessageSending, SessionConsuming {
  let account: JID
  let store: any OutboxStoring & DeliveryStoring & AttemptStoring
  let routes: (any MessageRouting)?
  let hub: EventHub
  let log: Log
  let texts: OutboxTexts
  let options: OutboxOptions

  /// Acknowledgements and answers, which arrive by two tasks: out of order, they would take a tick
  /// back on the screen.
  private let inbox = SerialInbox<SingleLane>()
  let state = OutboxState()
  let deliveries: DeliveryTracker
  let recovery: OutboxRecovery
  var poison = PoisonGuard()
  var expiry: ExpiryPolicy
  /// The messages that are being removed from the outbox, by origin-id: they are not written
  /// meanwhile.
  var leaving: Set<String> = []
  var isFlushing = false
  var needsFlush = false
  var leftovers = RetrySchedule(longestWait: checkInterval)
  var postponed = PostponedSearches()

  package init(
    account: JID, store: any OutboxStoring & DeliveryStoring & AttemptStoring,
    routes: (any MessageRouting)? = nil, hub: EventHub, log: Log,
    texts: OutboxTexts = OutboxTexts(), options: OutboxOptions = OutboxOptions()
  ) {
    self.account = account.bare
    self.store = store
    self.routes = routes
    self.hub = hub
    self.log = log
    self.texts = texts
    self.options = options
    deliveries = DeliveryTracker(
      account: account.bare, store: store, routes: routes, hub: hub, texts: texts,
      storage: RetryingWrite(hub: hub, sleep: options.sleep) { log.error($0) }, state: state)
    recovery = OutboxRecovery(
      account: account.bare, store: store, hub: hub, log: log, now: options.now, state: state)
    expiry = ExpiryPolicy(timeLimit: options.timeLimit)
  }

  func now() -> Date { options.now() }

  @discardableResult
  package func send(_ body: String, to conversation: JID) async throws -> Message {
    try await send(body, nil, originID: options.identifiers.next(), to: conversation)
  }

  @discardableResult
  package func send(
    _ file: SharedFile, originID: String, to conversation: JID
  ) async throws -> Message {
    try await send(file.address, file, originID: originID, to: conversation)
  }

  @discardableResult
  package func send(
    _ text: String, originID: String, to conversation: JID
  ) async throws -> Message {
    try await send(text, nil, originID: originID, to: conversation)
  }

  func send(
    _ body: String, _ file: SharedFile?, reply: Message.Reply? = nil,
    in thread: ThreadChoice = .ofConversation, originID: String, to conversation: JID,
    by program: String? = nil
  ) async throws -> Message {
    let stored = try await enqueue(
      body, file, reply, thread, originID, for: conversation, by: program)
    hub.publish(.messagesStored([stored.message]))
    hub.publish(.conversationsChanged([stored.conversation]))
    await flush(searches: false)
    return stored.message
  }

  /// - Throws: `NatterError`, without queueing, where a private message would reach the whole room.
  private func enqueue(
    _ body: String, _ file: SharedFile?, _ reply: Message.Reply?, _ thread: ThreadChoice,
    _ originID: String, for conversation: JID, by program: String?
  ) async throws -> (message: Message, conversation: Conversation) {
    // It is not written before its route is known.
    if !conversation.isBare { leaving.insert(originID) }
    defer { leaving.remove(originID) }
    let stored = try await store.enqueue(
      body: body, file: file, reply: reply, thread: thread, to: conversation, from: account,
      originID: originID, at: now(), by: program)
    if let nick = conversation.resource, let routes, stored.message.conversation.isBare,
      await routes.route(to: stored.message.conversation) != .direct
    {
      _ = try await store.remove(stored.message.id)
      throw NatterError(
        .refused, "error.room.outsideForOne",
        ["name": nick, "room": conversation.bare.description])
    }
    return stored
  }

  package func retry(_ message: Message) async throws {
    guard let originID = message.originID,
      let changed = try await store.requeue(message.id, at: now())
    else { return }
    for id in [originID, changed.edit?.originID].compactMap({ $0 }) {
      state.session.forget(id)
      state.retried.insert(id)
    }
    hub.publish(.messagesChanged([changed]))
    await flush(searches: false)
  }

  package func cancel(_ message: Message) async throws {
    // On its way already, it would be removed here and still arrive.
    if message.delivery == .queued, let id = message.edit?.originID ?? message.originID,
      state.session.written.contains(id)
    {
      throw NatterError(.refused, "error.onItsWay", retry: .never)
    }
    let ids = [message.originID, message.edit?.originID].compactMap { $0 }
    leaving.formUnion(ids)
    // If it stays after all, it is flushed with the other retries.
    leftovers.areThere = true
    defer {
      leaving.subtract(ids)
      leftovers.wake()
    }
    // Written in an earlier session, it may have arrived.
    if let id = message.edit?.originID ?? message.originID,
      try await store.attempts()[id] != nil
    {
      throw NatterError(.refused, "error.onItsWay", retry: .never)
    }
    switch try await store.remove(message.id) {
    case .gone:
      hub.publish(.messagesRemoved(conversation: message.conversation, [message.id]))
    case .restored(let restored): hub.publish(.messagesChanged([restored]))
    case nil: throw NatterError(.refused, "error.alreadySent", retry: .never)
    }
  }

  // MARK: - Events

  /// Follows the events: a joined room takes the messages that wait for it, and those for a room
  /// that refuses the user fail.
  /// - Parameter events: subscribed to before anything runs.
  package func follow(_ events: AsyncStream<DomainEvent>) async {
    for await event in events {
      switch event {
      case .roomEntered(let room, _):
        // What was written before the room lost this client may be lost: look in the archive first.
        state.session.forgetWritten(to: room)
        await flush()
      // A room that may admit the user later is tried again by itself.
      case .roomsChanged(let rooms)
      where rooms.contains { $0.phase == .outside && $0.exit?.mayPass != true }:
        if state.session.channel == nil { await giveUpOutside() }
        await flush()
      default: break
      }
    }
  }

  // MARK: - The session

  package func sessionTakenUp(underWay ids: [String]) async {
    state.session.takeUp()
    do {
      let rooms = try await deliveries.rooms(of: ids)
      state.session.takeUp(ids, rooms: rooms)
    } catch {
      // They stay queued, and are looked for before they are sent again.
      log.error("the outbox could not be read: \(error)")
    }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    state.session.begin(over: channel, limit: session.features.stanzaLimit, at: now())
    leftovers.forgetWaits()
    await flush()
  }

  package func serverAcknowledged(_ ids: [String]) async {
    await inbox.run { await deliveries.noteAcknowledged(ids) }
    await endAttempt(ids)
  }

  package func receive(_ stanzas: [Stanza]) async {
    await inbox.run { await deliveries.noteAnswers(in: stanzas) }
  }

  package func sessionResumed() async { await flush() }

  package func sessionEnded() async {
    state.session.end()
    poison.endAttempt()
  }
}
