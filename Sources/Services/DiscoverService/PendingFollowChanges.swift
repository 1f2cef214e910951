import Diagnostics
import NatterCore
import XMPP

/// Follow and unfollow requests that wait for a connection; the last request for a source counts.
struct PendingFollowChanges: Sendable {
  private let account: JID
  private let source: FollowChange.Source
  private let store: any PendingChangeStoring
  private let hub: EventHub
  private let news: DomainEvent
  private let queue: PendingChangeSender

  /// - Parameters:
  ///   - source: the kind of source.
  ///   - news: the event that is published after a change.
  init(
    of source: FollowChange.Source, account: JID, store: any PendingChangeStoring, hub: EventHub,
    news: DomainEvent, log: Log
  ) {
    self.account = account.bare
    self.source = source
    self.store = store
    self.hub = hub
    self.news = news
    queue = PendingChangeSender("what is to be followed (\(source.rawValue))", hub: hub) {
      log.warning("\($0)")
    }
  }

  func all() async throws -> [FollowChange] {
    try await store.pending(FollowChange.self).map(\.change).filter { $0.source == source }
      .sorted { ($0.service.description, $0.node) < ($1.service.description, $1.node) }
  }

  func drop(_ service: JID, _ node: String = "") async throws {
    let change = FollowChange(source, service, node, follows: false)
    try await store.drop(FollowChange.self, of: change.subject)
  }

  private func keep(_ service: JID, _ node: String, follows: Bool) async throws {
    try await store.keep(FollowChange(source, service, node, follows: follows))
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
      try await keep(service, node, follows: true)
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
    try await keep(service, node, follows: false)
    hub.publish(news)
  }

  /// Sends the pending requests. A refused one is reported and dropped.
  /// - Parameter begin: sends a follow request.
  func submit(
    over channel: (any StanzaChannel)?,
    _ begin: (FollowChange, any StanzaChannel) async throws -> Void
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
        try await store.settle(change)
      }
      if isSubmitted { try await store.settle(change) }
    }
    if hasSubmitted { hub.publish(news) }
  }

  private func unsubscribe(from change: FollowChange, over channel: any StanzaChannel) async throws
  {
    do {
      _ = try await channel.request(
        XEP0060.subscription(false, to: change.node, at: change.service, as: account))
    } catch let error as StanzaError where !error.isPassing {
      // There was no subscription to end.
    }
  }
}
