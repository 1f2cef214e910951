import JSONLines

/// The subscription of `natter tail` to new messages: after a gap it subscribes again, so that
/// messages which the program was too slow to read come out of the store.
nonisolated struct TailSubscription {
  private let client: BridgeClient
  private var parameters: [String: JSONValue]
  /// The name of the subscription.
  private var name: JSONValue?
  private var lastID = 1

  /// - Parameters:
  ///   - client: has said hello.
  ///   - parameters: of `events.subscribe`.
  init(_ client: BridgeClient, _ parameters: [String: JSONValue]) async throws {
    self.client = client
    self.parameters = parameters
    try await subscribe()
  }

  /// Waits for the next message.
  /// - Throws: the error that ended the connection, or the subscription.
  mutating func next() async throws -> JSONValue {
    while true {
      let event = try await client.next()
      guard let name, event.parameters?["subscription"] == name else { continue }
      if event.method == "event.ended" { throw BridgeClient.Lost() }
      let data = event.parameters?["data"]
      switch event.parameters?["event"]?.string {
      case "message.new": if let data { return data }
      case "event.gap":
        lastID += 1
        _ = try await client.ask(
          "events.unsubscribe", .object(["subscription": name]), id: lastID)
        if let after = data?["after"] { parameters["after"] = after }
        try await subscribe()
      default: break
      }
    }
  }

  private mutating func subscribe() async throws {
    lastID += 1
    let answer = try await client.ask("events.subscribe", .object(parameters), id: lastID)
    name = answer["subscription"]
  }
}
