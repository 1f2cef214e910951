import Diagnostics
import NatterCore
import XMPP

/// Follow and unfollow requests, stored until the service has them; the last request for a source
/// counts, also over one that is being sent.
struct PendingFollowChanges: Sendable {
  private let account: JID
  private let source: FollowChange.Source
  private let store: any PendingChangeStoring
  private let hub: EventHub
  private let news: DomainEvent
  private let queue: PendingChangeSender
  private let log: Log
  /// Sends the requests for one source one after the other, in the order in which they were made.
  private let inbox = SerialInbox<[String]>()

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
    self.log = log
    queue = PendingChangeSender("a request to follow or leave (\(source.rawValue))", hub: hub) {
      log.warning("\($0)")
    }
  }

  func all() async throws -> [FollowChange] {
    try await store.pending(FollowChange.self).map(\.change).filter { $0.source == source }
      .sorted { ($0.service.description, $0.node) < ($1.service.description, $1.node) }
  }

  /// Follows a source at once, or stores the request where there is no connection.
  /// - Parameters:
  ///   - begin: sends the request, and saves the source.
  ///   - forget: removes the saved source.
  /// - Returns: the result of `begin`; `nil` if the request is pending.
  /// - Throws: `NatterError`; `CancellationError` if the user left the source meanwhile.
  func follow<Outcome>(
    _ service: JID, _ node: String = "", over channel: (any StanzaChannel)?,
    _ begin: (any StanzaChannel) async throws -> Outcome, forget: () async throws -> Void
  ) async throws -> Outcome? {
    let change = FollowChange(source, service, node, follows: true)
    try await store.keep(change)
    defer { hub.publish(news) }
    guard let channel else { return nil }
    return try await inbox.run(in: change.subject) {
      let outcome: Outcome?
      do {
        outcome = try await unlessLeft(change, begin: { try await begin(channel) }, forget: forget)
      } catch {
        try await store.settle(change)
        throw NatterError(answering: error)
      }
      try await store.settle(change)
      guard let outcome else { throw CancellationError() }
      return outcome
    }
  }

  /// Leaves a source, and requests the service to end the subscription: it continues to send until
  /// then. This includes a subscription that is still pending, because the service may have
  /// received it all the same.
  /// - Parameter forget: removes the saved source.
  func leave(
    _ service: JID, _ node: String = "", over channel: (any StanzaChannel)?,
    forget: () async throws -> Void
  ) async throws {
    let change = FollowChange(source, service, node, follows: false)
    // First, so that a follow request that saves the source after its removal finds this one.
    try await store.keep(change)
    try await forget()
    hub.publish(news)
    guard let channel else { return }
    try await send(change) { try await unsubscribe(from: change, over: channel) }
  }

  /// Writes the requests that cannot be read to the log: they are not sent. Those of an unknown
  /// kind of source count among the feeds'.
  func reportUnreadable() async {
    await queue.reportUnreadable([.follow], in: store) {
      ($0.subject.first.flatMap(FollowChange.Source.init(rawValue:)) ?? .feed) == source
    }
  }

  /// Sends the pending requests. A refused one is reported and dropped.
  /// - Parameters:
  ///   - begin: sends a follow request, and saves the source.
  ///   - forget: removes the saved source.
  func submit(
    over channel: (any StanzaChannel)?,
    _ begin: (FollowChange, any StanzaChannel) async throws -> Void,
    forget: (FollowChange) async throws -> Void
  ) async {
    guard let channel else { return }
    var hasSubmitted = false
    await queue.submitAll(all) { change in
      hasSubmitted = true
      try await send(change) {
        guard change.follows else { return try await unsubscribe(from: change, over: channel) }
        _ = try await unlessLeft(
          change, begin: { try await begin(change, channel) },
          forget: { try await forget(change) })
      }
    }
    if hasSubmitted { hub.publish(news) }
  }

  /// Sends a stored request after the earlier ones for its source, unless it was sent or replaced
  /// meanwhile.
  private func send(_ change: FollowChange, _ work: () async throws -> Void) async throws {
    try await inbox.run(in: change.subject) {
      guard try await all().contains(change) else { return }
      let isSubmitted = try await queue.submit(work) { _ in try await store.settle(change) }
      if isSubmitted { try await store.settle(change) }
    }
  }

  /// Sends a follow request, and removes the source again if the user left it meanwhile: the
  /// request to leave it waits behind this one.
  /// - Returns: `nil` if the user left the source.
  private func unlessLeft<Outcome>(
    _ change: FollowChange, begin: () async throws -> Outcome, forget: () async throws -> Void
  ) async throws -> Outcome? {
    let result: Result<Outcome, any Error>
    do { result = .success(try await begin()) } catch { result = .failure(error) }
    let leave = FollowChange(source, change.service, change.node, follows: false)
    guard try await all().contains(leave) else { return try result.get() }
    try await forget()
    return nil
  }

  /// Subscribes to a node.
  /// - Returns: `false` if the service refuses. What contacts publish arrives all the same, by this
  ///   client's capabilities; other sources have to be queried from time to time.
  @discardableResult
  func subscribe(
    to service: JID, _ node: String, over channel: any StanzaChannel
  ) async throws -> Bool {
    do {
      _ = try await channel.request(XEP0060.subscription(true, to: node, at: service, as: account))
      return true
    } catch let error as StanzaError {
      log.info("a node takes no subscriptions: \(error.condition.rawValue)")
      return false
    }
  }

  /// Reads what a source has when it is followed, after the subscription to it.
  /// - Parameters:
  ///   - isSubscribed: whether the service has accepted the subscription.
  ///   - isNew: whether the source was not followed before.
  /// - Returns: `nil` for a source that keeps no items, and can be followed all the same.
  /// - Throws: the error of `read`; a new subscription is ended then.
  func firstItems<Content>(
    of service: JID, _ node: String, isSubscribed: Bool, isNew: Bool,
    over channel: any StanzaChannel, read: () async throws -> Content
  ) async throws -> Content? {
    do { return try await read() } catch let error as StanzaError
      where isSubscribed && [.itemNotFound, .featureNotImplemented].contains(error.condition)
    {
      log.info("a source of the kind \(source.rawValue) keeps nothing: \(error.condition.rawValue)")
      return nil
    } catch {
      if isSubscribed, isNew {
        do {
          let change = FollowChange(source, service, node, follows: false)
          try await unsubscribe(from: change, over: channel)
        } catch let problem {
          log.info("a subscription could not be ended: \(problem)")
        }
      }
      throw error
    }
  }

  private func unsubscribe(from change: FollowChange, over channel: any StanzaChannel) async throws
  {
    guard !change.node.isEmpty else { return }
    do {
      _ = try await channel.request(
        XEP0060.subscription(false, to: change.node, at: change.service, as: account))
    } catch let error as StanzaError where !error.isPassing {
      // There was no subscription to end.
    }
  }
}
