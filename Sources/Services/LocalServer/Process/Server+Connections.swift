import Sockets
import XML
import XMPP

/// The lifecycle of one connection.
extension Server {
  /// Serves a client until either side closes its connection.
  nonisolated func serve(_ stream: any ByteStream) async {
    let (connection, queue) = await attach()
    _ = await mailbox.post(.opened(connection))
    await withDiscardingTaskGroup { group in
      group.addTask { await self.write(queue, to: stream, of: connection) }
      group.addTask { await self.part(queue, from: stream) }
      group.addTask { await self.limitSignIn(of: connection) }
      await read(stream, of: connection)
      queue.close()
      stream.close()
      group.cancelAll()
    }
    await detach(connection)
    let reply = await mailbox.post(.closed(connection))
    if let waiting = reply.waiting { await watch(waiting.session, waiting.closures) }
  }

  private nonisolated func read(_ stream: any ByteStream, of connection: ConnectionID) async {
    var parser = XMLStreamParser(stanzaLimit: settings.unauthenticatedStanzaLimit)
    do throws(SocketError) {
      while let bytes = try await stream.receive() {
        let events = Self.events(in: bytes, parser)
        guard !events.isEmpty else { continue }
        // Waiting for the batch keeps a fast client from filling the memory.
        let reply = await mailbox.post(.received(connection, events))
        if reply.isAuthenticated { parser.raiseLimit(to: settings.stanzaLimit) }
        if reply.restartsParser { parser = XMLStreamParser(stanzaLimit: settings.stanzaLimit) }
      }
    } catch {
      // Closed by either side. The reason does not matter: the connection ends in any case.
    }
  }

  private static func events(in bytes: [UInt8], _ parser: XMLStreamParser) -> [StreamEvent] {
    // After a failure the bytes have no meaning; the stream is being closed.
    guard parser.failure == nil else { return [] }
    var events: [StreamEvent] = []
    do throws(XMLError) {
      events = try parser.feed(bytes).map {
        switch $0 {
        case .opened(let header, let namespace): .header(header, defaultNamespace: namespace)
        case .element(let element): .element(element)
        case .closed: .end
        }
      }
    } catch {
      // `parser.failure` has the error too, and also after valid events in the same bytes.
    }
    if let failure = parser.failure { events.append(.failure(StreamError(failure.condition))) }
    return events
  }

  private nonisolated func write(
    _ queue: OutboundQueue, to stream: any ByteStream, of connection: ConnectionID
  ) async {
    do throws(SocketError) {
      for await _ in queue.signals {
        while let portion = queue.take() {
          try await stream.send(portion.bytes)
          if !portion.messages.isEmpty { mailbox.send(.written(connection, portion.messages)) }
        }
        if queue.isFinished { break }
      }
    } catch {
      // The reader sees the same end of the connection, and the store still has the unsent
      // messages.
    }
  }

  /// Closes a connection some time after its stream has ended (`ServerSettings.farewell`). The
  /// client normally closes it after reading the final error; an immediate close could discard that
  /// error (RFC 6120 §4.4).
  private nonisolated func part(_ queue: OutboundQueue, from stream: any ByteStream) async {
    for await _ in queue.ending {}
    await sleep(settings.farewell)
    stream.close()
  }

  private nonisolated func limitSignIn(of connection: ConnectionID) async {
    await sleep(settings.negotiation)
    if !Task.isCancelled { mailbox.send(.negotiationTimedOut(connection)) }
  }

  /// Ends a session that is not resumed in time.
  private nonisolated func watch(_ session: ConnectionID, _ closures: Int) async {
    await sleep(settings.resumption)
    mailbox.send(.resumptionTimedOut(session, closures: closures))
  }

  private nonisolated func sleep(_ duration: Duration) async {
    // After a cancellation there is no reason to wait.
    try? await Task.sleep(for: duration)
  }
}
