import Crypto

// Asking whether the server is still there.
extension XMPPStream {
  /// The server takes no more. Why it gave this client up may stand in what it wrote before: that is read to its end, which
  /// a broken connection has, within a second.
  func readingEnds() async {
    guard !isClosing else { return }
    await waitBriefly(for: readEnd)
  }

  /// Waits until `signal` is over, at most a second; not at all where the task is cancelled: then there is no time to be polite.
  func waitBriefly(for signal: AsyncStream<Void>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signal {} }
      group.addTask { [sleep] in try? await sleep(.seconds(1)) }
      await group.next()
      group.cancelAll()
    }
  }

  package func settle(timeout: Duration) async throws {
    let ping = Element("iq", Namespace.client, ["type": "get"], [Element("ping", Namespace.ping)])
    // A server that refuses to be pinged has answered, too.
    do { _ = try await request(ping, timeout: timeout) } catch is StanzaError {}
    await consumersAreDone()
  }

  /// Waits at most `limit` for a sign of life of the server: its answer to an `<r/>` (XEP-0198 §4), or where there is no
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
      // The line lives: on a slow one the answer stands behind thousands of messages.
      unanswered += 1
    }
  }

  /// Waits until the server has answered on a session that was just resumed, no longer than `limit` while nothing comes from
  /// it, and six times that at most.
  ///
  /// Prosody 0.12 goes on with the parser of the connection before. Where that one broke in the middle of a stanza all that
  /// is sent from then on is the inside of that stanza, here and on every connection that resumes the session: it sends, and
  /// never hears.
  /// - Throws: `ChannelError.timedOut` when it does not hear; else as `request`.
  package func confirm(limit: Duration) async throws {
    var silences = 0
    while true {
      let before = delivered
      do { return try await ask(limit) } catch ChannelError.timedOut {
        // The answer may stand behind what the server had kept for this client. A reader with its hands full reads none.
        if isFull { continue }
        silences += 1
        if delivered == before || silences == Self.confirmations { throw ChannelError.timedOut }
      }
    }
  }

  private static let confirmations = 6

  /// After so many beats without an answer what comes is no sign any more that the server hears.
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
    let ping = Element("iq", Namespace.client, ["type": "get"], [Element("ping", Namespace.ping)])
    do { _ = try await request(ping, timeout: limit) } catch is StanzaError {
      // It refuses to be pinged, and lives.
    }
  }

  private func beat(_ id: String) async throws {
    guard !isClosing, endReason == nil else { throw ChannelError.notConnected }
    _ = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard tracker.register(id, askedOf: nil, continuation) else { return }
        // Also where one waits for its answer already: that may be what the dead connection swallowed.
        isAwaitingAcknowledgement = true
        queue(writer.bytes(Element("r", Namespace.streamManagement)))
      }
    } onCancel: {
      tracker.cancel(id)
    }
  }
}
