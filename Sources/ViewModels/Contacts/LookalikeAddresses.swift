import XMPP

/// Addresses by what they look like (XEP-0165).
nonisolated struct LookalikeAddresses: Sendable {
  private let known = Lookalikes()
  private var addresses: [String: Set<JID>] = [:]

  /// Those of `jids`; beside everything else, for many take long.
  @concurrent static func of(_ jids: [JID]) async -> LookalikeAddresses {
    var looks = LookalikeAddresses()
    for jid in jids { looks.add(jid) }
    return looks
  }

  mutating func add(_ jid: JID) { addresses[known.skeleton(of: jid), default: []].insert(jid.bare) }

  mutating func remove(_ jid: JID) { addresses[known.skeleton(of: jid)]?.remove(jid.bare) }

  /// Which others look like `jid`, in order.
  func twins(of jid: JID) -> [JID] {
    (addresses[known.skeleton(of: jid)] ?? []).filter { $0 != jid.bare }
      .sorted { $0.description < $1.description }
  }

  /// Whether letters of scripts that look alike stand side by side in it.
  func mixesScripts(_ jid: JID) -> Bool { known.mixesScripts(jid) }
}
