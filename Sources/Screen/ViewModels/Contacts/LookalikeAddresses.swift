import XMPP

/// Addresses by their appearance (XEP-0165).
nonisolated struct LookalikeAddresses: Sendable {
  private let known = Lookalikes()
  private var addresses: [String: Set<JID>] = [:]

  /// Returns the index of `jids`; off the main actor, because many take long.
  @concurrent static func of(_ jids: [JID]) async -> LookalikeAddresses {
    var looks = LookalikeAddresses()
    for jid in jids { looks.add(jid) }
    return looks
  }

  mutating func add(_ jid: JID) { addresses[known.skeleton(of: jid), default: []].insert(jid.bare) }

  mutating func remove(_ jid: JID) { addresses[known.skeleton(of: jid)]?.remove(jid.bare) }

  /// Returns the other addresses that look like `jid`, in order.
  func twins(of jid: JID) -> [JID] {
    (addresses[known.skeleton(of: jid)] ?? []).filter { $0 != jid.bare }
      .sorted { $0.description < $1.description }
  }

  /// Returns true if it mixes letters of scripts that look alike.
  func mixesScripts(_ jid: JID) -> Bool { known.mixesScripts(jid) }
}
