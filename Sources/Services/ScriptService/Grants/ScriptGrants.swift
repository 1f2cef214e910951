import FoundationEssentials
import NatterCore
import XMPP

/// The content of `grants.toml`: the rights that the user gave to scripts and to other programs.
package struct ScriptGrants: Hashable, Sendable {
  /// What is known about one script, or another program.
  package struct Entry: Hashable, Sendable {
    package var isEnabled: Bool
    /// The digest of the manifest that the user has looked at; empty: of none.
    package var digest: String
    /// A right may be there several times, for different accounts.
    package var grants: [StoredGrant]
    /// The rights that the user does not want to be asked for.
    package var never: [ScriptRight]
    /// The settings of the manifest that the user has changed.
    package var settings: [String: String]
    /// The most messages that it may send to a conversation in an hour; `nil`: as usual.
    package var sendingPerHour: Int?
    /// When the user last had it restarted by `natter scripts restart`: a Natter that runs it sees
    /// another time than before. `nil`: never.
    package var restarted: Date?

    package init(
      isEnabled: Bool = false, digest: String = "", grants: [StoredGrant] = [],
      never: [ScriptRight] = [], settings: [String: String] = [:], sendingPerHour: Int? = nil
    ) {
      (self.isEnabled, self.digest, self.grants) = (isEnabled, digest, grants)
      (self.never, self.settings, self.sendingPerHour) = (never, settings, sendingPerHour)
    }

    /// Gives a right; it replaces one that was given for the same accounts before.
    package mutating func add(_ grant: StoredGrant) {
      let (right, accounts) = (grant.grant.right, grant.grant.accounts)
      never.removeAll { $0 == right }
      if let index = grants.firstIndex(where: {
        $0.grant.right == right && $0.grant.accounts == accounts
      }) {
        grants[index] = grant
      } else {
        grants.append(grant)
      }
    }

    /// Takes a right back; `nil`: all. One that was refused for good can be asked for again.
    /// - Returns: whether it was held.
    @discardableResult
    package mutating func remove(_ right: ScriptRight?) -> Bool {
      let before = grants.count
      grants.removeAll { right == nil || $0.grant.right == right }
      never.removeAll { $0 == right }
      return grants.count < before
    }

    /// The conversations that a right covers in an account; `nil`: it is not held there.
    package func scope(of right: ScriptRight, in account: JID) -> BridgeScope? {
      let held = grants.filter {
        $0.grant.right == right
          && ($0.grant.accounts.isEmpty || $0.grant.accounts.contains(account.bare))
      }
      guard var scope = held.first?.grant.scope else { return nil }
      for grant in held.dropFirst() { scope = scope.union(grant.grant.scope) }
      return scope
    }
  }

  /// A right, and when it was given.
  package struct StoredGrant: Hashable, Sendable {
    package let grant: ScriptGrant
    package let given: Date

    package init(_ grant: ScriptGrant, given: Date) { (self.grant, self.given) = (grant, given) }
  }

  /// By the names of scripts and other programs.
  package var entries: [String: Entry]

  package init(entries: [String: Entry] = [:]) { self.entries = entries }

  /// The rights of a program that is no script of Natter's own, such as that of
  /// `natter serve --as NAME`: those it was given; the user is not asked for more.
  package func rights(of name: String) -> BridgeRights {
    guard let entry = entries[name] else { return .none }
    return BridgeRights(
      held: { permission, account in
        if let scope = entry.scope(of: .bridge(permission), in: account) { return .held(scope) }
        return .refused(entry.never.contains(.bridge(permission)) ? .declined : .notAsked)
      }, confirm: { _ in .notAsked })
  }
}

extension BridgeScope {
  /// Returns the conversations that one of both covers.
  package func union(_ other: BridgeScope) -> BridgeScope {
    BridgeScope(
      hasDirect: hasDirect || other.hasDirect, hasRooms: hasRooms || other.hasRooms,
      addresses: addresses.union(other.addresses))
  }
}

extension ScriptGrants {
  /// Removes rights that were taken back and are perhaps still stored, by the name of the script.
  mutating func withhold(_ rights: [String: Set<ScriptRight>]) {
    for (name, rights) in rights {
      entries[name]?.grants.removeAll { rights.contains($0.grant.right) }
    }
  }
}
