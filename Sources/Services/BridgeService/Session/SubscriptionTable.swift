import NatterCore
import XMPP

/// The subscriptions of a client.
struct SubscriptionTable {
  private(set) var all: [String: BridgeSubscription] = [:]
  private var last = 0

  /// Adds a subscription, under a name that is never used again.
  /// - Throws: `BridgeError.Code.busy` if there are too many.
  mutating func add(
    _ request: SubscriptionRequest, _ coverages: [JID: BridgeSubscription.Coverage]
  ) throws(BridgeError) -> BridgeSubscription {
    guard all.count < BridgeLimits.subscriptions else { throw BridgeError(.busy) }
    last += 1
    let subscription = BridgeSubscription(
      "s\(last)", to: request.events, in: request.scope,
      includesHistory: request.includesHistory, accounts: coverages)
    all[subscription.name] = subscription
    return subscription
  }

  /// Ends and removes a subscription.
  /// - Returns: `false` if there was none of that name, or it had ended.
  @discardableResult
  mutating func remove(_ name: String) -> Bool {
    guard let subscription = all.removeValue(forKey: name) else { return false }
    defer { subscription.end() }
    return !subscription.isEnded
  }

  /// Leaves out what a right covered that was taken back, and ends those of which nothing is left.
  /// - Returns: the lines that notify the client of those that it knows.
  mutating func revoke(
    _ revocation: BridgeRights.Revocation, leaving rights: BridgeRights
  ) -> [String] {
    var lines: [String] = []
    for (name, subscription) in all.sorted(by: { $0.key < $1.key }) {
      guard !subscription.isEnded, subscription.cut(by: revocation, leaving: rights) else {
        continue
      }
      subscription.end()
      let line = subscription.endLine(without: revocation.permission)
      if subscription.isStarted {
        all[name] = nil
        lines.append(line)
      } else {
        subscription.ending = line
      }
    }
    return lines
  }
}
