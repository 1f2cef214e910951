import Sockets
import XMPP

/// The life of one connection.
extension Server {
  /// Serves one client until its connection is closed by either side.
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
        // Waiting for the turn is what keeps a fast client from filling the memory.
        let reply = await mailbox.post(.received(connection, events))
        if reply.isAuthenticated { parser.raiseLimit(to: settings.stanzaLimit) }
        if reply.restartsParser { parser = XMLStreamParser(stanzaLimit: settings.stanzaLimit) }
      }
    } catch {
      // Closed by either side: the end of the connection is all that follows, whatever the reason.
    }
  }

  private static func events(in bytes: [UInt8], _ parser: XMLStreamParser) -> [StreamEvent] {
    // After a failure nothing is understood; the client is being sent away.
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
      // `failure` has it as well, also when something sound came before.
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
      // The reader sees the same end, and what was not sent is still in the store.
    }
  }

  /// Closes a connection that was said goodbye to. The client does it when it has read the
  /// farewell; closing at once could take it from its hands (RFC 6120 §4.4).
  private nonisolated func part(_ queue: OutboundQueue, from stream: any ByteStream) async {
    for await _ in queue.ending {}
    await sleep(settings.farewell)
    stream.close()
  }

  private nonisolated func limitSignIn(of connection: ConnectionID) async {
    await sleep(settings.negotiation)
    if !Task.isCancelled { mailbox.send(.negotiationTimedOut(connection)) }
  }

  /// Ends a session that nobody takes up again.
  private nonisolated func watch(_ session: ConnectionID, _ closures: Int) async {
    await sleep(settings.resumption)
    mailbox.send(.resumptionTimedOut(session, closures: closures))
  }

  private nonisolated func sleep(_ duration: Duration) async {
    // Cancelled means that there is nothing left to wait for.
    try? await Task.sleep(for: duration)
  }
}
