import JSONLines
import NatterCore

/// The subscriptions of a client to the events of several accounts, each of which gives them other
/// names.
nonisolated struct JoinedSubscriptions: Sendable {
  private struct Subscription {
    /// The names in the accounts, by their numbers.
    var names: [Int: String] = [:]
    /// The last message of each account that the client knows.
    var cursors: [String: JSONValue] = [:]
    /// The events that came before the client knows the name; `nil`: it knows it.
    var held: [BridgeEnvelope]? = []
  }

  /// By the name that the client knows.
  private var subscriptions: [String: Subscription] = [:]
  private var last = 0

  /// Returns the name for a new subscription.
  mutating func begin() -> String {
    last += 1
    let name = "s\(last)"
    subscriptions[name] = Subscription()
    return name
  }

  /// Notes an account's result for a subscription.
  mutating func add(_ result: JSONValue, of index: Int, to name: String) {
    subscriptions[name]?.names[index] = result["subscription"]?.string
    if case .object(let after)? = result["after"] {
      subscriptions[name]?.cursors.merge(after) { $1 }
    }
  }

  /// Returns the result for the client.
  func announcement(of name: String) -> JSONValue {
    .object([
      "subscription": .text(name), "after": .object(subscriptions[name]?.cursors ?? [:]),
    ])
  }

  /// Notes that the client knows a name.
  /// - Returns: the events that came before.
  mutating func announced(_ name: String) -> [BridgeEnvelope] {
    defer { subscriptions[name]?.held = nil }
    return subscriptions[name]?.held ?? []
  }

  func has(_ name: String) -> Bool { subscriptions[name] != nil }

  /// Ends a subscription.
  /// - Returns: its names in the accounts, by their numbers.
  mutating func end(_ name: String) -> [Int: String] {
    subscriptions.removeValue(forKey: name)?.names ?? [:]
  }

  /// Takes an event of an account.
  /// - Returns: the event with the client's name for its subscription; `nil`: it is kept, or the
  ///   client has no such subscription.
  mutating func received(_ event: BridgeEnvelope, from index: Int) -> BridgeEnvelope? {
    guard let upstream = event.parameters?["subscription"]?.string else { return event }
    guard let name = subscriptions.first(where: { $0.value.names[index] == upstream })?.key
    else { return nil }
    var event = event.with("subscription", .text(name), in: "params")
    let data = event.parameters?["data"]
    if let cursor = event.parameters?["cursor"], let account = data?["account"]?.string {
      subscriptions[name]?.cursors[account] = cursor
    }
    if event.method == "event.ended" {
      // In the other accounts it goes on.
      subscriptions[name]?.names[index] = nil
      guard subscriptions[name]?.names.isEmpty == true else { return nil }
      subscriptions[name] = nil
    } else if event.parameters?["event"]?.string == "event.gap",
      case .object(let after)? = data?["after"], !after.isEmpty
    {
      // With it, the client subscribes to all accounts again.
      let cursors = (subscriptions[name]?.cursors ?? [:]).merging(after) { $1 }
      event = event.with("data", .object(["after": .object(cursors)]), in: "params")
    }
    guard subscriptions[name]?.held != nil else { return event }
    subscriptions[name]?.held?.append(event)
    return nil
  }
}

/// The objects of a request about all accounts, out of the lists of each.
nonisolated struct JoinedList: Sendable {
  /// The most bytes of the objects in one answer.
  private static let mostBytes = 900_000

  private let method: String
  private let skip: Int
  private let limit: Int
  /// The name of the list in the result; `nil`: nothing was added yet.
  private var name: String?
  private var objects: [JSONValue] = []
  private var count = 0
  private var missingUpTo: String?

  init(_ method: String, _ request: BridgeEnvelope) {
    self.method = method
    skip = request.parameter("skip")?.int ?? 0
    limit = request.parameter("limit")?.int ?? 50
  }

  /// Indicates whether no account has answered.
  var isEmpty: Bool { name == nil }

  private var isSearch: Bool { method == "messages.search" }

  /// Returns the request to an account for what comes after so many of its objects; `nil`: no more
  /// of them are needed.
  func page(_ request: BridgeEnvelope, after count: Int) -> BridgeEnvelope? {
    let next = request.with("skip", .integer(count), in: "params")
    guard isSearch else { return next }
    let left = skip + limit - count
    return left > 0 ? next.with("limit", .integer(min(left, 500)), in: "params") : nil
  }

  /// Adds a result of an account.
  /// - Parameter isFirst: indicates whether it begins the list of the account.
  /// - Returns: the number of its objects.
  mutating func add(_ result: JSONValue, isFirst: Bool = true) -> Int {
    guard case .object(let members) = result,
      let list = members.first(where: { $0.value.elements != nil })
    else { return 0 }
    name = list.key
    let added = list.value.elements ?? []
    objects += added
    if isFirst { count += result["count"]?.int ?? 0 }
    missingUpTo = [missingUpTo, result["missing_up_to"]?.string].compactMap(\.self).max()
    return added.count
  }

  /// The result for the client: what comes after the objects that it has, as far as it fits.
  var result: JSONValue {
    var page: [JSONValue] = []
    var size = 0
    let rest = ordered.dropFirst(skip)
    let wanted = isSearch ? rest.prefix(limit) : rest
    for object in wanted {
      size += object.text.utf8.count + 1
      guard page.isEmpty || size <= Self.mostBytes else { break }
      page.append(object)
    }
    var members: [String: JSONValue] = [name ?? "objects": .array(page)]
    members["more"] = .boolean(page.count < (isSearch ? count - skip : wanted.count))
    if isSearch {
      members["count"] = .integer(count)
      members["missing_up_to"] = missingUpTo.map { .text($0) }
    }
    return .object(members)
  }

  /// The newest first, where the lists of the accounts are; otherwise account by account.
  private var ordered: [JSONValue] {
    let key = isSearch ? "at" : method == "conversations.list" ? "last" : nil
    guard let key else { return objects }
    // Times in UTC with microseconds are in the order of their texts.
    return objects.enumerated().sorted { a, b in
      let (one, other) = (a.element[key]?.string ?? "", b.element[key]?.string ?? "")
      return one == other ? a.offset < b.offset : one > other
    }.map(\.element)
  }
}
