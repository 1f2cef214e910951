import Diagnostics
import NatterCore
import XMPP

/// Follow and unfollow requests that wait for a connection; the last request for a source counts.
struct PendingFollowChanges: Sendable {
  struct Change: Hashable, Sendable {
    let service: JID
    /// The empty string if the service itself is the source.
    let node: String
    /// `false` requests to unfollow the source.
    let follows: Bool
  }

  private let account: JID
  private let memory: any PreferenceStoring
  private let prefix: String
  private let hub: EventHub
  private let news: DomainEvent
  private let queue: PendingChangeSender

  /// - Parameters:
  ///   - kind: the kind of source, a single token of the keys in the database.
  ///   - news: the event that is published after a change.
  init(
    of kind: String, account: JID, memory: any PreferenceStoring, hub: EventHub,
    news: DomainEvent, log: Log
  ) {
    self.account = account.bare
    self.memory = memory
    self.hub = hub
    self.news = news
    prefix = "follow.\(kind) "
    queue = PendingChangeSender("what is to be followed (\(kind))", hub: hub) {
      log.warning("\($0)")
    }
  }

  func all() async throws -> [Change] {
    try await memory.values().compactMap { key, value in
      guard key.hasPrefix(prefix) else { return nil }
      let parts = key.dropFirst(prefix.count).split(
        separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      guard let service = JID(parsing: String(parts[0])) else { return nil }
      return Change(
        service: service, node: parts.count > 1 ? String(parts[1]) : "", follows: value == "1")
    }.sorted { ($0.service.description, $0.node) < ($1.service.description, $1.node) }
  }

  func drop(_ service: JID, _ node: String = "") async throws { try await set(nil, service, node) }

  private func set(_ value: String?, _ service: JID, _ node: String) async throws {
    try await memory.setValue(value, for: "\(prefix)\(service)\t\(node)")
  }

  /// Follows a source at once, or stores the request where there is no connection.
  /// - Parameter begin: sends the request.
  /// - Returns: the result of `begin`; `nil` if the request is pending.
  /// - Throws: `NatterError`.
  func follow<Outcome>(
    _ service: JID, _ node: String = "", over channel: (any StanzaChannel)?,
    _ begin: (any StanzaChannel) async throws -> Outcome
  ) async throws -> Outcome? {
    guard let channel else {
      try await set("1", service, node)
      hub.publish(news)
      return nil
    }
    let outcome: Outcome
    do { outcome = try await begin(channel) } catch { throw NatterError(answering: error) }
    try await drop(service, node)
    hub.publish(news)
    return outcome
  }

  /// Requests the service to end a subscription: it continues to send until then. This includes a
  /// subscription that is still pending, because the service may have received it all the same.
  func leave(_ service: JID, _ node: String) async throws {
    try await set("0", service, node)
    hub.publish(news)
  }

  /// Sends the pending requests. A refused one is reported and dropped.
  /// - Parameter begin: sends a follow request.
  func submit(
    over channel: (any StanzaChannel)?,
    _ begin: (Change, any StanzaChannel) async throws -> Void
  ) async {
    guard let channel else { return }
    var hasSubmitted = false
    await queue.submitAll(all) { change in
      hasSubmitted = true
      let isSubmitted = try await queue.submit {
        if change.follows {
          try await begin(change, channel)
        } else if !change.node.isEmpty {
          try await unsubscribe(from: change, over: channel)
        }
      } refused: { _ in
        try await drop(change.service, change.node)
      }
      if isSubmitted { try await drop(change.service, change.node) }
    }
    if hasSubmitted { hub.publish(news) }
  }

  private func unsubscribe(from change: Change, over channel: any StanzaChannel) async throws {
    do {
      _ = try await channel.request(
        XEP0060.subscription(false, to: change.node, at: change.service, as: account))
    } catch let error as StanzaError where !error.isPassing {
      // There was no subscription to end.
    }
  }
}
