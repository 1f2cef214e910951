import Crypto
import XML

// Asking whether the server is still there.
extension XMPPStream {
  /// The server accepts no more data. Its reason may be in what it wrote before: that is read to
  /// its end within a second.
  func readingEnds() async {
    guard !isClosing else { return }
    await waitBriefly(for: readEnd)
  }

  /// Waits for the end of `signal`, at most a second; not at all if the task is cancelled.
  func waitBriefly(for signal: AsyncStream<Void>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signal {} }
      // It throws only when it is cancelled, and then the wait is over.
      group.addTask { [sleep] in try? await sleep(.seconds(1)) }
      await group.next()
      group.cancelAll()
    }
  }

  package func settle(timeout: Duration) async throws {
    try await ping(timeout: timeout)
    let count = delivered
    await consumersAreDone()
    guard done >= count else { throw ChannelError.notConnected }
  }

  /// Waits at most `limit` for an answer of the server: to an `<r/>` (XEP-0198 §4), or without
  /// stream management to a ping (XEP-0199).
  /// - Throws: `ChannelError.timedOut`.
  package func probe(limit: Duration) async throws {
    let before = delivered
    do {
      try await ask(limit)
      unanswered = 0
    } catch ChannelError.timedOut
      where unanswered < Self.unansweredLimit && (delivered != before || isFull)
    {
      // The connection works: on a slow one the answer is behind thousands of messages.
      unanswered += 1
    }
  }

  /// Waits until the server answers in a resumed session: at most `limit` while nothing arrives,
  /// and six times that in all.
  ///
  /// Prosody 0.12 goes on with the parser of the previous connection. If that broke inside a
  /// stanza, all data sent later is inside that stanza, on every connection that resumes the
  /// session: the server sends, and never hears.
  /// - Throws: `ChannelError.timedOut` when it does not hear; else as `request`.
  package func confirm(limit: Duration) async throws {
    var silences = 0
    while true {
      let before = delivered
      do { return try await ask(limit) } catch ChannelError.timedOut {
        // The answer may be behind offline messages. A reader with a full buffer reads none.
        if isFull { continue }
        silences += 1
        if delivered == before || silences == Self.confirmations { throw ChannelError.timedOut }
      }
    }
  }

  private static let confirmations = 6

  /// After so many heartbeats without an answer, other traffic does not count any more.
  private static let unansweredLimit = 10

  private func ask(_ limit: Duration) async throws {
    if session.hasStreamManagement {
      // It never goes over the wire: what the tracker waits for is the next `<a/>`.
      let id = randomIdentifier()
      beats.insert(id)
      defer { beats.remove(id) }
      let sleep = sleep
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.beat(id) }
        group.addTask {
          try await sleep(limit)
          throw ChannelError.timedOut
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
    try await ping(timeout: limit)
  }

  private func beat(_ id: String) async throws {
    guard !isClosing, endReason == nil else { throw ChannelError.notConnected }
    _ = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard tracker.register(id, askedOf: nil, continuation) else { return }
        // Even if an answer is due: the request may have been lost with the dead connection.
        isAwaitingAcknowledgement = true
        queue(writer.bytes(Element("r", Namespace.streamManagement)))
      }
    } onCancel: {
      tracker.cancel(id)
    }
  }
}
