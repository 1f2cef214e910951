import JSONLines

/// Sends a client its answers, and waits for one that does not read them for some time.
package struct AnswerDelivery: Sendable {
  /// The time that a client has to read an answer.
  package static let limit = Duration.seconds(30)

  private let connection: any BridgeConnection
  private let clock: BridgeClock
  private let texts: BridgeError.Texts

  package init(
    _ connection: any BridgeConnection, _ clock: BridgeClock, _ texts: @escaping BridgeError.Texts
  ) {
    (self.connection, self.clock, self.texts) = (connection, clock, texts)
  }

  /// Returns the line of a result, or of the error that it is too long.
  package func line(_ result: JSONLine, to id: BridgeRequest.ID) -> String {
    let line = BridgeLine.result(result, to: id)
    return line.utf8.count <= BridgeLimits.line ? line : self.line(BridgeError(.tooLarge), to: id)
  }

  /// Returns the line of an error.
  package func line(_ error: BridgeError, to id: BridgeRequest.ID?) -> String {
    BridgeLine.error(error.object(texts), to: id)
  }

  /// Sends a line.
  /// - Parameter isEnded: whether nothing can be sent any more.
  /// - Returns: `false` if the client has not read it in time.
  package func send(
    _ line: String, isolation: isolated (any Actor)? = #isolation, unless isEnded: () -> Bool
  ) async -> Bool {
    let end = clock.steady() + Self.limit
    while !isEnded(), !connection.send(line) {
      let left = end - clock.steady()
      guard left > .zero else { return false }
      await waitForRoom(for: line, atMost: left)
      if Task.isCancelled { return true }
    }
    return true
  }

  private func waitForRoom(for line: String, atMost limit: Duration) async {
    await withTaskGroup(of: Void.self) { [connection, clock] group in
      group.addTask { await connection.waitForRoom(for: line) }
      group.addTask { _ = await clock.hasPassed(limit) }
      await group.next()
      group.cancelAll()
    }
  }
}
