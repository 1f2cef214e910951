import JSONLines

/// The subscriptions of a client over several connections, each of which gives them other names.
nonisolated struct RelayedSubscriptions: Sendable {
  private struct Subscription {
    var parameters: [String: JSONValue]
    /// The cursor of the last event, by account.
    var cursors: [String: JSONValue]
  }

  /// By the name that the client knows.
  private var subscriptions: [String: Subscription] = [:]
  /// The names of the client, by those of the current connection.
  private var clientNames: [String: String] = [:]

  /// Returns what subscribes to the same events again, after the last one that the client got, by
  /// the names of the client.
  var renewals: [(name: String, parameters: JSONValue)] {
    subscriptions.sorted { $0.key < $1.key }.map { name, subscription in
      var parameters = subscription.parameters
      if !subscription.cursors.isEmpty { parameters["after"] = .object(subscription.cursors) }
      return (name, .object(parameters))
    }
  }

  /// Forgets the names of a connection that has ended.
  mutating func connectionEnded() { clientNames = [:] }

  /// Notes the answer to a subscription of the client.
  /// - Returns: the answer with the name that the client is to use.
  mutating func begin(_ answer: BridgeEnvelope, to request: BridgeEnvelope) -> BridgeEnvelope {
    guard let upstream = answer.result?["subscription"]?.string else { return answer }
    // An earlier connection may have given the same name to another one.
    var name = upstream
    var number = 1
    while subscriptions[name] != nil {
      number += 1
      name = "\(upstream)-\(number)"
    }
    var parameters: [String: JSONValue] = [:]
    if case .object(let members)? = request.parameters { parameters = members }
    var cursors: [String: JSONValue] = [:]
    if case .object(let after)? = parameters["after"] { cursors = after }
    if case .object(let begun)? = answer.result?["after"] { cursors = begun }
    subscriptions[name] = Subscription(parameters: parameters, cursors: cursors)
    clientNames[upstream] = name
    return name == upstream ? answer : answer.with("subscription", .text(name), in: "result")
  }

  /// Notes the answer to a renewal.
  /// - Returns: `false` if the subscription has ended with it.
  mutating func renew(_ name: String, _ answer: BridgeEnvelope) -> Bool {
    guard let upstream = answer.result?["subscription"]?.string else {
      subscriptions[name] = nil
      return false
    }
    if subscriptions[name] != nil { clientNames[upstream] = name }
    return true
  }

  /// Returns a request of the client to end a subscription, with the connection's name for it.
  func translated(_ request: BridgeEnvelope) -> BridgeEnvelope {
    guard let name = request.parameters?["subscription"]?.string,
      let upstream = clientNames.first(where: { $0.value == name })?.key, upstream != name
    else { return request }
    return request.with("subscription", .text(upstream), in: "params")
  }

  mutating func end(_ request: BridgeEnvelope) {
    guard let name = request.parameters?["subscription"]?.string else { return }
    subscriptions[name] = nil
  }

  /// Notes an event.
  /// - Returns: the event with the client's name for its subscription; `nil` if the client has
  ///   none.
  mutating func received(_ event: BridgeEnvelope) -> BridgeEnvelope? {
    guard let upstream = event.parameters?["subscription"]?.string else { return event }
    guard let name = clientNames[upstream] else { return nil }
    if let cursor = event.parameters?["cursor"],
      let account = event.parameters?["data"]?["account"]?.string
    {
      subscriptions[name]?.cursors[account] = cursor
    }
    if event.method == "event.ended" || event.parameters?["event"]?.string == "event.ended" {
      subscriptions[name] = nil
    }
    return name == upstream ? event : event.with("subscription", .text(name), in: "params")
  }
}
