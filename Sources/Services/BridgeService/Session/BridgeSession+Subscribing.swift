import Diagnostics
import JSONLines
import NatterCore
import XMPP

/// The parameters of a subscription.
struct SubscriptionRequest: Sendable {
  let events: Set<BridgeEvent>
  let scope: BridgeScope
  /// The last message of each account that the client knows.
  let after: [JID: Message.ID]
  let includesHistory: Bool
  /// The only account whose events are sent, bare; `nil`: all have theirs sent.
  let account: JID?

  /// The rights that it needs.
  var permissions: [BridgePermission] {
    let needed = Set(events.compactMap(\.permission))
    return BridgePermission.allCases.filter(needed.contains)
  }
}

// Subscriptions, and the messages that they are sent.
extension BridgeSession {
  /// Adds a subscription. Its events begin with `completion` of the answer. Without an account it
  /// covers those in which all its rights are held.
  /// - Parameter number: of the request.
  /// - Throws: `BridgeError`; `.notFound` if there is no such account.
  func subscribe(_ request: SubscriptionRequest, by number: Int) async throws -> BridgeAnswer {
    // The rights come first: their absence must not say which accounts there are.
    let holding = try await hold(
      bridge.question(request.permissions, in: request.account), by: number)
    let accounts = bridge.accounts.filter { holding[$0.jid] != nil }
    if accounts.isEmpty { throw BridgeError(.notFound, "no such account") }
    var coverages: [JID: BridgeSubscription.Coverage] = [:]
    for account in accounts {
      let newest = try await follow(account)
      // A higher one is of a database that was replaced since.
      let cursor = min(request.after[account.jid] ?? newest, newest)
      let limit = try await account.feed.historyLimit(after: cursor, now: options.clock.now())
      coverages[account.jid] = BridgeSubscription.Coverage(
        rights: holding[account.jid] ?? [:], cursor: cursor,
        delivered: cursor, historyBefore: limit)
    }
    // A right that was taken back meanwhile has ended the request.
    try Task.checkCancellation()
    let subscription = try table.add(request, coverages)
    let name = subscription.name
    var answer = BridgeAnswer(subscription.answer) { await self.start(name) }
    answer.undo = { await self.drop(name) }
    return answer
  }

  private func drop(_ name: String) { table.remove(name) }

  /// Ends a subscription.
  /// - Throws: `BridgeError.Code.notFound` if there is none of that name.
  func unsubscribe(_ name: String) throws(BridgeError) {
    guard table.remove(name) else { throw BridgeError(.notFound, "no such subscription") }
  }

  private func start(_ name: String) async {
    guard let subscription = subscriptions[name] else { return }
    if let ending = subscription.ending {
      table.remove(name)
      return await deliver(ending)
    }
    subscription.isStarted = true
    for account in bridge.accounts {
      await drain(subscription, of: account, waits: true)
    }
    flush(subscription)
  }

  /// Sends the messages that are new since the last time.
  /// - Parameter waits: indicates whether to wait for a client that does not read; otherwise it
  ///   misses the messages.
  private func drain(
    _ subscription: BridgeSubscription, of account: BridgeAccount, waits: Bool
  ) async {
    let jid = account.jid
    guard subscription.events.contains(.messageNew), subscription.isStarted,
      let coverage = subscription.accounts[jid]
    else { return }
    guard !coverage.isDraining else {
      subscription.accounts[jid]?.needsDrain = true
      return
    }
    subscription.accounts[jid]?.isDraining = true
    defer { subscription.accounts[jid]?.isDraining = false }
    repeat {
      subscription.accounts[jid]?.needsDrain = false
      while let cursor = subscription.accounts[jid]?.cursor, !subscription.isEnded {
        let page: MessageFeed.Page
        do {
          page = try await account.feed.page(
            after: cursor, historyBefore: coverage.historyBefore)
        } catch {
          options.log.warning("messages could not be read for a client: \(error)")
          return markGap(of: subscription)
        }
        guard page.end > cursor else { break }
        guard await send(page, to: subscription, of: jid, waits: waits) else { return }
      }
    } while subscription.accounts[jid]?.needsDrain == true
  }

  /// - Returns: `false` if the subscription or its task has ended.
  private func send(
    _ page: MessageFeed.Page, to subscription: BridgeSubscription, of account: JID, waits: Bool
  ) async -> Bool {
    for entry in page.entries {
      if subscription.covers(.messageNew, entry.conversation, entry.kind, of: account),
        subscription.includesHistory || !entry.isHistory
      {
        let line = BridgeLine.event(
          .messageNew, data: entry.text, cursor: entry.id.rawValue, of: subscription.name)
        guard await send(line, to: subscription, waits: waits) else { return false }
      }
      subscription.accounts[account]?.cursor = entry.id
      if !subscription.hasGap { subscription.accounts[account]?.delivered = entry.id }
    }
    subscription.accounts[account]?.cursor = page.end
    if !subscription.hasGap { subscription.accounts[account]?.delivered = page.end }
    return true
  }

  /// Sends the line of a message.
  /// - Returns: `false` if the subscription or its task has ended.
  private func send(
    _ line: String, to subscription: BridgeSubscription, waits: Bool
  ) async -> Bool {
    guard waits, line.utf8.count <= BridgeLimits.line else {
      send(line, to: subscription)
      return !subscription.isEnded
    }
    // The store has it: it is sent as soon as there is room.
    while !trySending(line, to: subscription) {
      guard !subscription.isEnded, !isEnded, !Task.isCancelled else { return false }
      // A gap is reported first.
      await connection.waitForRoom(for: subscription.hasGap ? subscription.gapLine : line)
    }
    return true
  }

  /// Sends the events that had to wait for messages.
  private func flush(_ subscription: BridgeSubscription) {
    guard !subscription.defers else { return }
    for line in subscription.takeDeferred() { send(line, to: subscription) }
  }

  // MARK: - Other events

  /// Handles an event of an account.
  func handle(_ event: DomainEvent, of account: BridgeAccount) async {
    switch event {
    case .messagesStored(let messages):
      await take(messages.map(\.id), isHistory: false, of: account)
    case .historyStored(let messages, let missed):
      await take(messages.map(\.id), isHistory: !missed, of: account)
    default:
      let names = BridgeEvent.names(of: event)
      guard !names.isEmpty,
        subscriptions.values.contains(where: { !$0.events.isDisjoint(with: names) })
      else { return }
      do {
        try await BridgeEventItem.forEach(of: event, in: account) { send($0, of: account.jid) }
      } catch {
        options.log.warning("an event could not be read for a client: \(error)")
        for subscription in subscriptions.values where !subscription.events.isDisjoint(with: names)
        { markGap(of: subscription) }
      }
    }
  }

  /// Sends new messages.
  /// - Parameter ids: of those that an event announces; empty: of those that none has.
  func take(_ ids: [Message.ID], isHistory: Bool, of account: BridgeAccount) async {
    do {
      if try await account.feed.note(ids, isHistory: isHistory, at: options.clock.steady()) {
        followed[account.jid]?.yield()
      }
    } catch {
      // They are read with the next ones.
      options.log.warning("messages could not be read for a client: \(error)")
    }
    for subscription in Array(subscriptions.values) {
      await drain(subscription, of: account, waits: false)
      flush(subscription)
    }
  }

  private func send(_ item: BridgeEventItem, of account: JID) {
    for subscription in subscriptions.values {
      let isCovered =
        if let conversation = item.conversation {
          subscription.covers(item.event, conversation, item.kind, of: account)
        } else {
          subscription.events.contains(item.event) && subscription.accounts[account] != nil
        }
      guard isCovered else { continue }
      let line = BridgeLine.event(item.event, data: item.data.text, of: subscription.name)
      if subscription.defers {
        if !subscription.deferLine(line) { markGap(of: subscription) }
      } else {
        send(line, to: subscription)
      }
    }
  }
}
