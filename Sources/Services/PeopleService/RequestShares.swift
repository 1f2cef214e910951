import XMPP

/// Distributes the limited list of unanswered subscription requests. A flood of requests from one
/// domain must not displace those of other domains.
enum RequestShares {
  static let all = 500

  /// Returns the request among `pending` to remove from a full list in favour of `jid`: the newest
  /// of the domain with the most requests. `nil` if the domain of `jid` has as many. The server
  /// repeats a removed request at a later login.
  static func givingWay(to jid: JID, among pending: [JID]) -> JID? {
    var counts: [Substring: Int] = [:]
    for other in pending { counts[other.domainOwner, default: 0] += 1 }
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
      most.value > (counts[jid.domainOwner] ?? 0) + 1
    else { return nil }
    return pending.last { $0.domainOwner == most.key }
  }
}
