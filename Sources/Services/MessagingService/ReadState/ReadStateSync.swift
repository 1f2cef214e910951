import Diagnostics
import NatterCore
import XML
import XMPP

/// The synchronization of read states: with the senders, by markers (XEP-0333), and with the
/// account's other clients, by positions that the server keeps (XEP-0490) and by copies of the
/// markers that they send (XEP-0280).
///
/// Due reports are in the database until the server has them. Nothing is sent before the archive is
/// caught up with: messages from there may have been read in another client.
package actor ReadStateSync: SessionConsuming {
  private let account: JID
  private let store: any ReadStateStoring
  private let deliveries: any DeliveryStoring
  private let roster: any RosterStoring
  private let hub: EventHub
  private let log: Log
  private let sendsMarkers: Bool
  private let storage: RetryingWrite
  private let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  private var session = ReadStateSession()
  /// The fetched positions, and the listed ones that are due, while they are used. The account's
  /// own server announces positions: all conversations are recorded.
  private var reads = OpenReads<SingleLane, JID>(limit: .max)
  /// The read positions that refer to messages that are not stored yet, by conversation.
  private var waiting: [JID: String] = [:]
  /// Those of them whose read state was unknown before.
  private var unseen: Set<JID> = []
  private let inbox = SerialInbox<SingleLane>()

  /// - Parameter sendsMarkers: `true` if the user wants senders to know what was read.
  package init(
    account: JID, store: any ReadStateStoring, deliveries: any DeliveryStoring,
    roster: any RosterStoring, hub: EventHub, log: Log, sendsMarkers: Bool = true,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.account = account.bare
    self.store = store
    self.deliveries = deliveries
    self.roster = roster
    self.hub = hub
    self.log = log
    self.sendsMarkers = sendsMarkers
    storage = RetryingWrite(hub: hub, sleep: sleep) { log.error($0) }
  }

  /// Sends due reports whenever there are any, until the task is cancelled.
  package func run() async {
    for await _ in wakeUps { await report() }
  }

  // MARK: The session

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.session.node = ReadPositionNode()
    let read = reads.begin(.only)
    defer { reads.end(read) }
    do {
      let fetched = try await self.session.node.fetch(over: channel)
      // What was announced meanwhile is newer.
      await inbox.run {
        let changes = reads.changes(during: read)
        await apply(fetched.filter { changes.accept($0.conversation.bare) })
      }
    } catch {
      log.info("the read positions at the server could not be read: \(error)")
    }
    // Not before: what another client has read is not to be published again.
    self.session.channel = channel
    wakeUp.yield()
  }

  package func sessionResumed() async { wakeUp.yield() }

  package func sessionEnded() async { session.end() }

  package func sessionTakenUp(underWay ids: [String]) async {
    session.underWay.formUnion(Self.stanzaIDs.own(among: ids))
  }

  package func serverAcknowledged(_ ids: [String]) async {
    let reported = Self.stanzaIDs.own(among: ids)
    guard !reported.isEmpty else { return }
    do {
      try await store.removeMarkers(
        store.markersDue().filter { reported.contains(Self.stanzaID(of: $0)) })
      session.underWay.subtract(reported)
    } catch {
      // They are sent again in the next session.
      log.warning("markers that were sent could not be forgotten: \(error)")
    }
  }

  package func receive(_ stanzas: [Stanza]) async {
    var markable: [ReadMarker] = []
    var messages: [MessageStanza] = []
    for case .message(let stanza) in stanzas {
      let positions = XEP0490Displayed.positions(in: stanza, of: account)
      if !positions.isEmpty {
        reads.note(positions.map(\.conversation.bare), of: .only)
        await take(positions)
      }
      let carbon = XEP0280Carbon(stanza, of: account)
      let message = carbon?.message ?? stanza
      await settle(message)
      messages.append(message)
      if let marker = self.markable(message) { markable.append(marker) }
    }
    // In a cancelled task the messages may not be stored, and were not read then.
    if !Task.isCancelled { await note(markable) }
    await applyWaiting(after: messages)
  }

  // MARK: Sending

  private func report() async {
    // A session that begins half-way would send positions before the markers that they represent.
    guard session.channel != nil else { return }
    do {
      try await sendMarkers()
      try await publishPositions()
    } catch {
      // The connection is closing, or the server refuses for now: they stay due.
      log.info("read positions are held back: \(error)")
    }
  }

  private func sendMarkers() async throws {
    // Rows that are acknowledged during reading may still be among the result.
    let sent = session.underWay
    let due = try await store.markersDue().filter { !sent.contains(Self.stanzaID(of: $0)) }
    guard !due.isEmpty, session.channel != nil else { return }
    let trusted =
      sendsMarkers ? try await roster.trusted(among: Set(due.map(\.conversation.bare))) : []
    let (wanted, vain) = due.divided {
      trusted.contains($0.conversation.bare) && AnswerLimit.takes($0.id)
    }
    try await store.removeMarkers(vain)
    for marker in wanted {
      guard let channel = session.channel else { return }
      let id = Self.stanzaID(of: marker)
      guard session.underWay.insert(id).inserted else { continue }
      do {
        try await channel.send(
          Element(
            "message", Namespace.client,
            ["to": marker.conversation.description, "type": "chat", "id": id],
            MarkerPayload.encode(marker.id)))
      } catch {
        session.underWay.remove(id)
        throw error
      }
    }
  }

  private static let stanzaIDs = AnswerIDs(prefix: "displayed/")

  private static func stanzaID(of marker: ReadMarker) -> String {
    stanzaIDs.id(for: marker.id, to: marker.conversation)
  }

  private func publishPositions() async throws {
    let read = reads.begin(.only)
    defer { reads.end(read) }
    // What was announced before is stored by then.
    let due = try await inbox.run { try await store.positionsDue() }
    for position in due {
      guard try await isStillDue(position, in: read) else { continue }
      guard let channel = session.channel, await session.node.isUsable else { return }
      guard AnswerLimit.takes(position.stanzaID) else {
        try await store.settlePosition(position)
        continue
      }
      let owner = position.kind == .room ? position.conversation : account
      try await session.node.publish(
        XEP0490Displayed(
          conversation: position.conversation, stanzaID: position.stanzaID, by: owner),
        over: channel)
      try await store.settlePosition(position)
    }
  }

  /// Returns `false` if another client has read further since the due positions were listed.
  private func isStillDue(
    _ position: ReadPosition, in read: OpenReads<SingleLane, JID>.Read
  ) async throws -> Bool {
    if reads.changes(during: read).accept(position.conversation.bare) { return true }
    // The announced position is stored by then.
    return try await inbox.run { try await store.positionsDue().contains(position) }
  }

  // MARK: Receiving

  /// Applies the read state in `message`, from its recipient or from another client of the account.
  private func settle(_ message: MessageStanza) async {
    guard message.kind == .chat || message.kind == .normal, let from = message.from else { return }
    await storage.perform("what was read") {
      if from.bare == account {
        guard let id = MarkerPayload.decode(message), let peer = message.to?.bare, peer != account,
          let changed = try await store.applyOwnMarker(ReadMarker(conversation: peer, id: id))
        else { return }
        hub.publish(.conversationsChanged([changed]))
      } else if let id = MarkerPayload.decode(message) {
        let changed = try await store.applyMarker(ReadMarker(conversation: from.bare, id: id))
        if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
      } else if let id = MarkerPayload.received(message),
        let changed = try await deliveries.setDelivery(.delivered, ofOriginID: id, sentTo: from)
      {
        hub.publish(.messagesChanged([changed]))
      }
    }
  }

  private func markable(_ message: MessageStanza) -> ReadMarker? {
    guard sendsMarkers, MarkerPayload.isRequested(by: message),
      message.kind == .chat || message.kind == .normal,
      let from = message.from?.bare, from != account,
      let id = IdentityPayload.decode(message),
      message.hasText, message.encryption == nil
    else { return nil }
    return ReadMarker(conversation: from, id: id)
  }

  private func note(_ markable: [ReadMarker]) async {
    guard !markable.isEmpty else { return }
    await storage.perform("markers") { try await store.addMarkable(markable) }
    wakeUp.yield()
  }

  /// Applies the positions, serialized: the second call sees what the first has stored of a
  /// conversation.
  private func take(_ positions: [XEP0490Displayed]) async {
    await inbox.run { await apply(positions) }
  }

  private func apply(_ reported: [XEP0490Displayed]) async {
    // The position of an occupant's conversation is not the room's.
    let positions = reported.filter(\.conversation.isBare)
    let stored = await storage.perform("read positions") {
      try await store.apply(
        positions.map {
          var position = ReadPosition(conversation: $0.conversation, stanzaID: $0.stanzaID)
          position.isFirst = unseen.contains($0.conversation.bare)
          return position
        })
    }
    guard let (changed, notHere, new) = stored else { return }
    unseen.subtract(positions.map(\.conversation.bare))
    unseen.formUnion(new)
    for position in positions {
      waiting[position.conversation.bare] =
        notHere.contains(position.conversation.bare) ? position.stanzaID : nil
    }
    if !changed.isEmpty { hub.publish(.conversationsChanged(changed)) }
  }

  /// Applies the positions that wait for a message of the conversations that `messages` belong to.
  /// A position may arrive before the message that it refers to. The others are left alone: there
  /// may be hundreds, and this runs for each message.
  private func applyWaiting(after messages: [MessageStanza]) async {
    guard !waiting.isEmpty else { return }
    let peers = Set(messages.flatMap { [$0.from, $0.to].compactMap { $0?.bare } })
    let due = peers.compactMap { peer in
      waiting[peer].map { XEP0490Displayed(conversation: peer, stanzaID: $0, by: account) }
    }
    if !due.isEmpty { await take(due) }
  }
}

/// The knowledge of the session that the synchronization of read states has. After its end it is
/// unknown which markers arrived: sent twice, they do no harm.
private struct ReadStateSession: SessionScoped {
  /// Set once the session is caught up with the archive and with the positions at the server.
  var channel: (any StanzaChannel)?
  var node = ReadPositionNode()
  /// The stanza ids of the markers that this session has sent, and of those in transit that it took
  /// over from an earlier run.
  var underWay: Set<String> = []
}

extension ReadStateSync: ConversationReading {
  package func markRead(_ conversation: JID) async throws -> Conversation? {
    if conversation.isBare { unseen.remove(conversation) }
    let read = try await store.markRead(conversation, isCaughtUp: session.channel != nil)
    wakeUp.yield()
    return read
  }

  package func markUnread(_ conversation: JID) async throws -> Conversation? {
    try await store.markUnread(conversation)
  }
}

extension ReadStateSync: ArchiveFollowing {
  package func archiving(_ messages: [MessageStanza], areNews: Bool) async {
    // The read state of messages that the account sent is known here.
    for message in messages where message.from?.bare != account { await settle(message) }
  }

  package func archived(_ messages: [MessageStanza], areNews: Bool) async {
    if areNews { await note(messages.compactMap(markable)) }
    for message in messages { await settle(message) }
    await applyWaiting(after: messages)
  }
}

/// The peers of read messages whose conversations are not here: another client had a conversation
/// with them (flows.md, "Data sync").
extension ReadStateSync: ConversationListing {
  package func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
    waiting.keys.map { ListedConversation(jid: $0, kind: .direct, opens: false) }
  }
}
