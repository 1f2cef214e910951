import JSONLines

/// A client's connection to the bridge, in lines of JSON: the socket of an account, or the standard
/// streams of `natter serve`.
package protocol BridgeConnection: Sendable {
  /// The lines of the client, in order; ends when the connection is closed from either side.
  var lines: AsyncStream<LineSplitter.Line> { get }
  /// Queues a line for the client, which must have no line feed; never waits.
  /// - Returns: `false` if it was dropped: more than 1,000 lines or 1 MiB wait, or the connection
  ///   is closed.
  func send(_ line: String) -> Bool
  /// Closes the connection once everything queued was written.
  func close()
}

/// Answers the clients of the bridge.
package protocol BridgeServing: Sendable {
  /// Answers a client, and returns when its connection has ended.
  func serve(_ connection: any BridgeConnection) async
}
