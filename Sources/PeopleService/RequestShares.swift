import XMPP

/// Who has the places of requests that wait for an answer: more than anyone answers come from a flood, and must not keep out
/// what comes from elsewhere.
enum RequestShares {
  static let all = 500

  /// Which of the `pending` requests goes where all places are taken, so that `jid` has one: the newest of the domain that has the
  /// most. `nil`: the domain of `jid` has as many. The server tells what goes once more at a later login.
  static func givingWay(to jid: JID, among pending: [JID]) -> JID? {
    var counts: [Substring: Int] = [:]
    for other in pending { counts[owner(of: other), default: 0] += 1 }
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
      most.value > (counts[owner(of: jid)] ?? 0) + 1
    else { return nil }
    return pending.last { owner(of: $0) == most.key }
  }

  /// The last two labels of the domain: the owner of a domain makes as many names below it as they like.
  private static func owner(of jid: JID) -> Substring {
    let dot = UInt8(ascii: ".")
    let domain = jid.domain
    guard let last = domain.utf8.lastIndex(of: dot),
      let before = domain.utf8[..<last].lastIndex(of: dot)
    else { return domain[...] }
    return domain[domain.utf8.index(after: before)...]
  }
}
