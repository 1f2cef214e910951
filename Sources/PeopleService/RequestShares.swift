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
    for other in pending { counts[owner(of: other), default: 0] += 1 }
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
      most.value > (counts[owner(of: jid)] ?? 0) + 1
    else { return nil }
    return pending.last { owner(of: $0) == most.key }
  }

  /// Returns the last two labels of the domain: its owner can create any number of subdomains.
  private static func owner(of jid: JID) -> Substring {
    let dot = UInt8(ascii: ".")
    let domain = jid.domain
    guard let last = domain.utf8.lastIndex(of: dot),
      let before = domain.utf8[..<last].lastIndex(of: dot)
    else { return domain[...] }
    return domain[domain.utf8.index(after: before)...]
  }
}
