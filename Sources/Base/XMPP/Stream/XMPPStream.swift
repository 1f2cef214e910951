import Crypto
import Sockets
import XML

/// A connection with a bound session: stanzas in both directions, requests with replies, acks.
///
/// `run` does all reading and writing until the connection ends. The consumer of `incoming` calls
/// `markHandled` when it is done, and only then the server gets an ack (XEP-0198 §4).
package actor XMPPStream: StanzaChannel {
  /// The executor of the reader: parsing and taking what was parsed is one step.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { reader.unownedExecutor }
  package nonisolated let session: Session
  /// Arriving stanzas, in batches, without replies to requests. Ends with the stream. For one task.
  package nonisolated let incoming: AsyncStream<[Stanza]>
  /// Ids of own stanzas as the server has them. Ends with the connection.
  package nonisolated let acknowledged: AsyncStream<[String]>
  /// Indicates whether it continues the session of an earlier connection.
  package nonisolated let isResumed: Bool
  /// Ids of stanzas of that session that the server says it had, be it gone or not.
  package nonisolated let acknowledgedEarlier: [String]
  nonisolated let authentication: Authentication
  /// The server's change of the token for the next sign-in (XEP-0484); `nil`: none.
  package nonisolated let tokenNews: TokenUpdate?
  /// The reason of the end; `nil` while it lives and after `close()`.
  package private(set) var endReason: StreamFailure?

  private let reader: ElementReader
  let transport: any ByteStream
  let tracker: IQTracker
  let sleep: @Sendable (Duration) async throws -> Void
  let writer = XMLWriter()
  let arrived = StanzaQueue()
  let acknowledge: AsyncStream<[String]>.Continuation
  private let (outputSignals, signalOutput) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))
  private let (ending, end) = AsyncStream<Void>.makeStream()
  /// Ends when nothing more is read.
  let (readEnd, signalReadEnd) = AsyncStream<Void>.makeStream()

  var management: StreamManagement
  let resumptionID: String?
  let location: String?
  /// Stanzas without an acknowledgement, for a resumption; kept only where there can be one.
  var underWay: [Element] = []
  var keeper: (any ResumptionKeeping)?
  /// Elements sent since the session was last stored, and its state then; `nil`: not stored yet.
  var unkept: [Element] = []
  var kept: (handled: UInt32, sent: UInt32)?
  private(set) var ledger = HandledStanzaCounter()
  var isAwaitingAcknowledgement = false
  /// Beats of the heart that wait for an `<a/>`.
  var beats: Set<String> = []
  /// Heartbeats since the last answer for which other traffic proved the connection alive.
  var unanswered = 0
  private var output: [UInt8] = []
  var isClosing = false
  private var hasQueuedEnd = false
  /// Ids of questions that wait for their answers.
  private var openQuestions: Set<String> = []
  /// The archive queries that are open.
  var archiveQueries = ArchiveQueries()
  /// The tasks that wait until the consumers are done with that many stanzas.
  var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
  /// Stanzas passed to the consumers, those that they have handled, and whether more can come.
  private(set) var delivered = 0
  private(set) var done = 0
  private(set) var hasEnded = false
  /// An `<r/>` was answered with less than had arrived: another ack follows when it is handled.
  private var owesAcknowledgement = false
  /// An `<r/>` came; it is answered when what came with it is counted.
  private var isAskedForAcknowledgement = false
  private let (room, signalRoom) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))

  var isFull: Bool {
    ledger.backlog > StreamLimits.backlog || arrived.weight > StreamLimits.backlogBytes
  }

  /// A stream over what `reader` has set up. `early` came before counting began.
  init(
    _ negotiated: NegotiatedSession, _ reader: ElementReader, early: EarlyStanzas,
    management: StreamManagement = StreamManagement(), acknowledgedEarlier: [String] = [],
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    session = negotiated.session
    resumptionID = negotiated.resumptionID
    location = negotiated.location
    authentication = negotiated.authentication
    tokenNews = negotiated.tokenNews
    if case .resumed = negotiated.origin { isResumed = true } else { isResumed = false }
    self.acknowledgedEarlier = acknowledgedEarlier
    self.management = management
    self.reader = reader
    transport = reader.transport
    self.sleep = sleep
    tracker = IQTracker(account: negotiated.session.jid)
    incoming = AsyncStream { [arrived, signalRoom] in
      let stanzas = await arrived.next()
      // What was taken leaves room: the reader does not wait until it is dealt with.
      signalRoom.yield()
      return stanzas
    }
    (acknowledged, acknowledge) = AsyncStream<[String]>.makeStream()
    // Counting begins with `<enabled/>`, and goes on with `<resumed/>` (XEP-0198 §4, §5).
    ledger.begin(with: early)
    delivered = early.stanzas.count
    arrived.append(early.stanzas)
  }

  // MARK: - Life

  /// Reads and writes until the connection ends, from either side, or the task is cancelled.
  package func run() async {
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.write() }
        await read()
        signalReadEnd.finish()
        await queueFinalStanzas()
        signalOutput.finish()
        // What is queued may still be sent, but the wait for a server that does not read is short;
        // it throws only when it is cancelled, and then it is over, too.
        group.addTask { [sleep] in try? await sleep(.seconds(1)) }
        await group.next()
        group.cancelAll()
        transport.close()
      }
    } onCancel: {
      transport.close()
    }
    tracker.end()
    hasEnded = true
    releaseWaiting()
    arrived.finish()
    acknowledge.finish()
    end.finish()
  }

  /// Ends the stream in order (RFC 6120 §4.4), waiting at most a second for the server to do so.
  package func close() async {
    guard !isClosing else { return }
    isClosing = true
    queueEnd()
    signalRoom.yield()
    await waitBriefly(for: ending)
    transport.close()
  }

  /// Sends the error of a stream that ends from the server's side (RFC 6120 §4.9.1.1), and the end
  /// of this side.
  private func queueFinalStanzas() async {
    switch endReason {
    case .socket:
      // There is no stream to write to.
      output = []
      return
    case .protocolViolation:
      let condition = await reader.refusal?.condition ?? .undefinedCondition
      queue(writer.bytes(StreamError(condition).element))
    default: break
    }
    queueEnd()
  }

  private func queueEnd() {
    guard !hasQueuedEnd else { return }
    hasQueuedEnd = true
    queue(XMLWriter.streamEnd)
  }

  func didSend(_ stanza: Element) {
    management.didSend(stanza["id"])
    if resumptionID != nil { underWay.append(stanza) }
    if keeper != nil { unkept.append(stanza) }
  }

  private func confirm(_ h: UInt32) throws(StreamManagement.TooHigh) -> [String] {
    let ids = try management.acknowledge(h)
    if resumptionID != nil {
      underWay.removeFirst(max(0, underWay.count - management.unacknowledged.count))
    }
    return ids
  }

  /// Own stanzas, by id, that the server has not acknowledged.
  package var unacknowledged: [String] { management.unacknowledged.compactMap { $0 } }

  // MARK: - Reading

  private func read() async {
    do throws(StreamFailure) {
      while true {
        try take(await reader.nextEvents())
        // The signal ends with the task, so that a cancelled one does not wait for consumers.
        var signals = room.makeAsyncIterator()
        while isFull, !isClosing {
          guard await signals.next(isolation: self) != nil else { break }
        }
      }
    } catch {
      if !isClosing, endReason == nil { endReason = error }
    }
  }

  private func take(_ events: [XMLStreamEvent]) throws(StreamFailure) {
    var batch: [Stanza] = []
    var answers = 0
    // What came before an error counts all the same.
    defer {
      management.didHandle(ledger.add(stanzas: batch.count, answers: answers))
      delivered += batch.count
      arrived.append(batch)
      if isAskedForAcknowledgement {
        isAskedForAcknowledgement = false
        owesAcknowledgement = ledger.backlog > 0
        queueAcknowledgement()
      }
    }
    for event in events {
      switch event {
      case .opened: throw .protocolViolation(.breach(.secondHeader))
      case .closed: throw .ended
      case .element(let element):
        if let stanza = Stanza(element) {
          if case .iq(let iq) = stanza, iq.kind == .result || iq.kind == .error {
            settle(iq)
            answers += 1
          } else if !archiveQueries.isEmpty, gather(stanza) {
            // It can be asked for again: it counts as handled at once.
            answers += 1
          } else {
            batch.append(stanza)
          }
        } else if Stanza.isStanza(element) {
          // Its sender is unknown, or it exceeds a limit: it is dropped, and counts as handled.
          answers += 1
          ledger.didDrop()
          if IQ(element).isUnreadAnswer { settle(IQ(element)) }
          // It fails only on a stream that ends, which answers nothing.
          if let reply = IQ(element).unreadReply { try? send(reply) }
        } else if element.namespace == Namespace.streamManagement {
          try settle(element)
        } else if let error = StreamError(element) {
          throw .stream(error)
        }
      }
    }
  }

  /// A reply to a request, or to the ping that replaces a request for an ack.
  private func settle(_ iq: IQ) {
    guard let id = iq.id, id.hasPrefix(Self.pingPrefix), !session.hasStreamManagement,
      let count = UInt32(id.dropFirst(Self.pingPrefix.count))
    else { return tracker.receive(iq) }
    // Any sender could send such a reply; only the server's counts.
    guard tracker.isAnswer(from: iq, to: nil) else { return }
    isAwaitingAcknowledgement = false
    // More than was sent: not an answer to a ping of ours.
    if let ids = try? confirm(count) { didAcknowledge(ids) }
  }

  private func settle(_ element: Element) throws(StreamFailure) {
    switch element.name {
    case "r": isAskedForAcknowledgement = true
    case "a":
      guard let h = element["h"].flatMap({ UInt32($0) }) else { return }
      isAwaitingAcknowledgement = false
      for id in beats {
        tracker.receive(IQ(Element("iq", Namespace.client, ["type": "result", "id": id])))
      }
      do { didAcknowledge(try confirm(h)) } catch {
        // A server that miscounts cannot be trusted with acknowledgements (XEP-0198 §6).
        throw .protocolViolation(.breach(.acknowledgedTooMuch))
      }
    default: break
    }
  }

  private func queueAcknowledgement() {
    queue(
      writer.bytes(Element("a", Namespace.streamManagement, ["h": String(management.handled)])))
  }

  private func didAcknowledge(_ ids: [String]) {
    if !ids.isEmpty { acknowledge.yield(ids) }
    if !management.unacknowledged.isEmpty { requestAcknowledgement() }
  }

  /// The consumers are done with `count` more stanzas of `incoming`.
  package func markHandled(_ count: Int) {
    management.didHandle(ledger.handle(count))
    done += count
    releaseWaiting()
    if owesAcknowledgement, ledger.backlog == 0 {
      owesAcknowledgement = false
      queueAcknowledgement()
    }
    if !isFull { signalRoom.yield() }
  }

  // MARK: - Writing

  /// Takes `stanza` for sending, after everything taken before; it does not wait for the network.
  package func send(_ stanza: Element) throws {
    guard !isClosing, endReason == nil else { throw ChannelError.notConnected }
    didSend(stanza)
    queue(writer.bytes(stanza))
    if stanza.name == "message" || management.unacknowledged.count >= StreamLimits.unasked {
      requestAcknowledgement()
    }
  }

  package func request(_ iq: Element, timeout: Duration) async throws -> Element {
    var question = iq
    // Replies to two requests with the same id could not be distinguished.
    var id = iq["id"] ?? randomIdentifier()
    while !openQuestions.insert(id).inserted { id = randomIdentifier() }
    defer { openQuestions.remove(id) }
    question["id"] = id
    let sleep = sleep
    return try await withThrowingTaskGroup(of: Element.self) { [question, id] group in
      group.addTask { try await self.ask(question, id) }
      group.addTask {
        try await sleep(timeout)
        throw ChannelError.timedOut
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw ChannelError.notConnected }
      return answer
    }
  }

  private func ask(_ question: Element, _ id: String) async throws -> Element {
    guard !isClosing, endReason == nil else { throw ChannelError.notConnected }
    let peer = IQ(question).to
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard tracker.register(id, askedOf: peer, continuation) else { return }
        didSend(question)
        queue(writer.bytes(question))
      }
    } onCancel: {
      tracker.cancel(id)
    }
  }

  /// Requests an ack unless one is due. One answer covers everything sent before it.
  func requestAcknowledgement() {
    guard !isAwaitingAcknowledgement else { return }
    isAwaitingAcknowledgement = true
    if session.hasStreamManagement {
      queue(writer.bytes(Element("r", Namespace.streamManagement)))
    } else {
      // Without XEP-0198: the server handles the stanzas of a client in order (RFC 6120 §10.1), so
      // its reply to a ping covers everything sent before.
      var ping = XEP0199Ping.question()
      ping["id"] = "\(Self.pingPrefix)\(management.sent)"
      queue(writer.bytes(ping))
    }
  }

  private static let pingPrefix = "natter-ack-"

  func queue(_ bytes: [UInt8]) {
    output += bytes
    signalOutput.yield()
  }

  /// Writes what is queued, in one piece as large as it has become meanwhile.
  private func write() async {
    for await _ in outputSignals {
      while !output.isEmpty {
        let bytes = output
        output = []
        await keepChange()
        do { try await transport.send(bytes) } catch {
          await readingEnds()
          if !isClosing, endReason == nil { endReason = .socket(error) }
          transport.close()
          return
        }
      }
    }
  }
}
