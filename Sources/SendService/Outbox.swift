import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Sends what was typed here, in order, and keeps track of what became of it (FLOWS.md 4).
///
/// A message is in the database before a byte of it is sent, and stays `.queued` there until the server has
/// acknowledged it: neither a lost connection nor a killed program loses it.
package actor Outbox: MessageSending, FileMessageSending, SessionConsuming {
  let account: JID
  private let store: any OutboxStoring
  private let routes: (any MessageRouting)?
  private let hub: EventHub
  private let identifiers: IdentifierSource
  private let now: @Sendable () -> Date
  private let log: Log
  /// Says in a sentence why a message was refused.
  private let explain: @Sendable (StanzaError) -> String
  /// How long a message may wait before the person is asked what is to become of it.
  private let timeLimit: TimeInterval
  /// Says that it has waited too long.
  private let expiry: String
  private let sleep: @Sendable (Duration) async throws -> Void
  /// What goes with each message to a person beside its text.
  let payloads: [Element]

  private var channel: (any StanzaChannel)?
  /// What this session has already written, by origin-id.
  private var written: Set<String> = []
  /// What the server refused in this session: that it has it means nothing.
  private var refused: Set<String> = []
  /// Those of `written` that went to a room: the server's acknowledgement says nothing of them, what the room sends back
  /// does.
  private var writtenToRooms: [String: JID] = [:]
  /// What this session has looked for in the archive, and has not found there.
  private var missed: Set<String> = []
  /// Counts beginnings and ends of sessions, so that what was begun in one does not go on in the next.
  private var turnover = 0
  /// Queued in an earlier session or run: such messages carry a delay stamp (XEP-0203).
  var sessionStart = Date.distantPast
  private var isFlushing = false
  private var needsFlush = false
  /// Acknowledgements and receipts come by two ways. One at a time is stored and told: news that overtake each other
  /// would take a tick back on the screen.
  private var isSettling = false
  private var turns: [CheckedContinuation<Void, Never>] = []

  /// - Parameter payloads: go with each message to a person, as what asks for markers (XEP-0333).
  package init(
    account: JID, store: any OutboxStoring, routes: (any MessageRouting)? = nil, hub: EventHub,
    log: Log,
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() }, payloads: [Element] = [],
    explain: @escaping @Sendable (StanzaError) -> String = { $0.explanation },
    timeLimit: TimeInterval = 1800, expiry: String = "timed out",
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.timeLimit = timeLimit
    self.expiry = expiry
    self.sleep = sleep
    self.explain = explain
    self.payloads = payloads
    self.account = account.bare
    self.store = store
    self.routes = routes
    self.hub = hub
    self.log = log
    self.identifiers = identifiers
    self.now = now
  }

  @discardableResult
  package func send(_ body: String, to conversation: JID) async throws -> Message {
    try await send(body, nil, originID: identifiers.next(), to: conversation)
  }

  @discardableResult
  package func send(
    _ file: SharedFile, originID: String, to conversation: JID
  ) async throws -> Message {
    try await send(file.address, file, originID: originID, to: conversation)
  }

  private func send(
    _ body: String, _ file: SharedFile?, originID: String, to conversation: JID
  ) async throws -> Message {
    let stored = try await store.enqueue(
      body: body, file: file, to: conversation, from: account, originID: originID, at: now())
    hub.publish(.messagesStored([stored.message]))
    hub.publish(.conversationsChanged([stored.conversation]))
    await flush()
    return stored.message
  }

  package func retry(_ message: Message) async throws {
    guard let originID = message.originID,
      let changed = try await store.requeue(message.id, at: now())
    else { return }
    written.remove(originID)
    refused.remove(originID)
    hub.publish(.messagesChanged([changed]))
    await flush()
  }

  package func cancel(_ message: Message) async throws {
    guard try await store.remove(message.id) else {
      throw NatterError(.refused, "error.alreadySent", retry: .never)
    }
    hub.publish(.messagesRemoved(conversation: message.conversation, [message.id]))
  }

  // MARK: - The time limit

  /// How often it is looked whether something has waited too long.
  private static let checkInterval = Duration.seconds(60)

  /// Fails what has waited too long, connected or not, until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      await expire()
      // Cancelled: it is over.
      do { try await sleep(Self.checkInterval) } catch { return }
    }
  }

  private func expire() async {
    do {
      let expired = try await store.expire(
        queuedBefore: now().addingTimeInterval(-timeLimit), reason: expiry)
      if !expired.isEmpty { hub.publish(.messagesChanged(expired)) }
    } catch {
      // They wait on, and are looked at again in a minute.
      log.error("looking for messages that waited too long failed: \(error)")
    }
  }

  /// Follows the news: a room that was entered takes what waits for it.
  /// - Parameter events: subscribed to before anything runs.
  package func follow(_ events: AsyncStream<DomainEvent>) async {
    for await event in events {
      guard case .roomEntered(let room, _) = event else { continue }
      // What was written before the room lost this client may not have arrived: it is looked for first.
      forgetWritten(to: room)
      await flush()
    }
  }

  private func forgetWritten(to room: JID) {
    for (id, its) in writtenToRooms where its == room {
      written.remove(id)
      missed.remove(id)
      writtenToRooms[id] = nil
    }
  }

  // MARK: - The session

  package func sessionTakenUp(underWay ids: [String]) { written.formUnion(ids) }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    turnover += 1
    refused.removeAll()
    sessionStart = now()
    await flush()
  }

  private func takeTurn() async {
    guard isSettling else { return isSettling = true }
    await withCheckedContinuation { turns.append($0) }
  }

  private func endTurn() {
    // Whoever is next has the turn already.
    if turns.isEmpty { isSettling = false } else { turns.removeFirst().resume() }
  }

  package func serverAcknowledged(_ ids: [String]) async {
    await takeTurn()
    defer { endTurn() }
    var changed: [Message] = []
    // Also what an earlier run of the program sent: its session may go on in this one.
    for id in ids where !refused.contains(id) && writtenToRooms[id] == nil {
      do {
        if let message = try await store.setDelivery(.sent, ofOriginID: id) {
          changed.append(message)
        }
      } catch {
        // It stays queued and is sent again with the same id in the next session.
        log.error("recording an acknowledgement failed: \(error)")
      }
    }
    if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
  }

  package func receive(_ stanzas: [Stanza]) async {
    await takeTurn()
    defer { endTurn() }
    var changed: [Message] = []
    for case .message(let stanza) in stanzas {
      // Receipts for what another client of the account sent come as copies (XEP-0280 §6).
      let carbon = XEP0280Carbon(stanza, of: account)
      if carbon?.direction == .sent { continue }
      do {
        let stanza = carbon?.message ?? stanza
        if let message = try await settle(stanza) { changed.append(message) }
      } catch {
        log.error("recording a receipt failed: \(error)")
      }
    }
    if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
  }

  package func sessionResumed() async { await flush() }

  package func sessionEnded() async {
    channel = nil
    turnover += 1
    written.removeAll()
    writtenToRooms.removeAll()
    missed.removeAll()
  }

  /// What `stanza` says about a message of ours, as a receipt (XEP-0184) or a refusal (RFC 6121 §5.2.2).
  private func settle(_ stanza: MessageStanza) async throws -> Message? {
    guard let from = stanza.from else { return nil }
    let peer = from.bare
    if stanza.kind == .error {
      guard let id = stanza.id, let error = stanza.error, !isAboutOneDevice(error) else {
        return nil
      }
      // The room does not know this client: it goes back in, and then the message goes again.
      if writtenToRooms[id] == peer, error.condition == .notAcceptable { return nil }
      refused.insert(id)
      let reason = Delivery.failed(reason: explain(error))
      if let changed = try await store.setDelivery(reason, ofOriginID: id, sentTo: peer) {
        return changed
      }
      return from.isBare ? nil : try await store.setDelivery(reason, ofOriginID: id, sentTo: from)
    }
    if let id = stanza.receiptID {
      return try await store.setDelivery(.delivered, ofOriginID: id, sentTo: peer)
    }
    return nil
  }

  /// Prosody says `recipient-unavailable` for a message that one dead device of the recipient had not acknowledged,
  /// though others have it: that is no failure.
  private func isAboutOneDevice(_ error: StanzaError) -> Bool {
    error.condition == .recipientUnavailable
  }

  // MARK: - Sending

  /// Writes every queued message that this session has not written yet, in the order of typing.
  private func flush() async {
    needsFlush = true
    guard !isFlushing else { return }
    isFlushing = true
    defer { isFlushing = false }
    while needsFlush {
      needsFlush = false
      guard let channel else { return }
      do {
        try await flush(over: channel, in: turnover)
      } catch is ChannelError {
        // The connection is going down: `sessionEnded` follows, and the next session sends it. Where it began meanwhile, it
        // has asked for that already.
        continue
      } catch {
        log.error("sending from the outbox failed: \(error)")
        return
      }
    }
  }

  /// - Parameter turn: the session that `channel` is of; nothing of it is done in another one.
  private func flush(over channel: any StanzaChannel, in turn: Int) async throws {
    let unwritten = try await store.queued().filter { !written.contains($0.originID ?? "") }
    let routes = await routes(of: unwritten)
    let waiting = try await ready(unwritten, routes)
    let doubtful = try await doubtful(waiting)
    guard turn == turnover, !waiting.isEmpty else { return }
    if !doubtful.isEmpty {
      try await settle(doubtful, routes, over: channel)
      // What was found is not queued any more, be it by this or by the catch-up, which reads the same archive.
      if turn == turnover { missed.formUnion(doubtful.keys) }
      needsFlush = true
      return
    }
    try await store.markAttempted(waiting.compactMap(\.originID), at: now())
    try await write(waiting, routes, over: channel, in: turn)
  }

  private func routes(of messages: [Message]) async -> [JID: MessageRoute] {
    var found: [JID: MessageRoute] = [:]
    for message in messages where found[message.conversation] == nil {
      found[message.conversation] = await routes?.route(to: message.conversation) ?? .direct
    }
    return found
  }

  /// Those of `messages` that can go now. What was meant for a room that the person left will not go by itself.
  private func ready(_ messages: [Message], _ routes: [JID: MessageRoute]) async throws -> [Message]
  {
    var ready: [Message] = []
    var failed: [Message] = []
    for message in messages {
      switch routes[message.conversation] ?? .direct {
      case .direct, .room, .occupant: ready.append(message)
      case .held: break
      case .outside:
        guard let originID = message.originID else { continue }
        let reason = explain(StanzaError(.cancel, .recipientUnavailable))
        if let message = try await store.setDelivery(
          .failed(reason: reason), ofOriginID: originID)
        {
          failed.append(message)
        }
      }
    }
    if !failed.isEmpty { hub.publish(.messagesChanged(failed)) }
    return ready
  }

  private func write(
    _ messages: [Message], _ routes: [JID: MessageRoute], over channel: any StanzaChannel,
    in turn: Int
  ) async throws {
    for message in messages {
      guard turn == turnover, let originID = message.originID else { return }
      guard written.insert(originID).inserted else { continue }
      let route = routes[message.conversation] ?? .direct
      if route == .room { writtenToRooms[originID] = message.conversation }
      do {
        try await channel.send(stanza(for: message, originID: originID, route))
      } catch {
        // Refused before a byte was written: the next flush takes it up.
        if turn == turnover {
          written.remove(originID)
          writtenToRooms[originID] = nil
        }
        throw error
      }
    }
  }

  /// Where to look for a message, and since when it may be there.
  private struct Attempt {
    let peer: JID
    let time: Date
  }

  /// Those of `waiting` that an earlier session may have brought to the server.
  private func doubtful(_ waiting: [Message]) async throws -> [String: Attempt] {
    let attempts = try await store.attempts()
    var doubtful: [String: Attempt] = [:]
    for message in waiting {
      guard let id = message.originID, let attempt = attempts[id], !missed.contains(id) else {
        continue
      }
      doubtful[id] = Attempt(peer: message.conversation, time: attempt)
    }
    return doubtful
  }

  /// Looks in the archives for messages that may have reached the server: they must not be sent again.
  private func settle(
    _ doubtful: [String: Attempt], _ routes: [JID: MessageRoute],
    over channel: any StanzaChannel
  ) async throws {
    let search = ArchiveSearch(account: account, channel: channel)
    var changed: [Message] = []
    for (peer, messages) in Dictionary(grouping: doubtful, by: \.value.peer) {
      guard let since = messages.map(\.value.time).min() else { continue }
      let ids = Set(messages.map(\.key))
      let isRoom = routes[peer] == .room
      for id in try await search.found(ids, to: peer, isRoom: isRoom, since: since) {
        if let message = try await store.setDelivery(.sent, ofOriginID: id) {
          changed.append(message)
        }
      }
    }
    guard !changed.isEmpty else { return }
    log.info("\(changed.count) messages had reached the server before the connection was lost")
    hub.publish(.messagesChanged(changed))
  }
}
