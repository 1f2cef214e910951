import JSONLines
import NatterCore
import XMPP

/// A right that methods and events need.
package enum BridgePermission: String, Sendable, CaseIterable {
  case readConversations = "conversations.read"
  case changeConversations = "conversations.write"
  case readMessages = "messages.read"
  case writeDrafts = "drafts.write"
  case sendMessages = "messages.send"
  case readContacts = "contacts.read"
  case changeContacts = "contacts.write"
  case readPresence = "presence.read"
  case changePresence = "presence.write"
  case readRooms = "rooms.read"
  case changeRooms = "rooms.write"
  case moderateRooms = "rooms.moderate"
  case readFiles = "files.read"
  case notify = "notify"
  /// Ending the program, giving an account to another one, settings, import and export; only for
  /// the user's own programs, never granted to scripts.
  case control = "control"
}

/// The conversations that a right or a subscription covers.
package struct BridgeScope: Hashable, Sendable {
  /// Conversations with contacts, and with occupants of rooms.
  package var hasDirect: Bool
  package var hasRooms: Bool
  /// Further conversations.
  package var addresses: Set<JID>

  package init(hasDirect: Bool = false, hasRooms: Bool = false, addresses: Set<JID> = []) {
    (self.hasDirect, self.hasRooms, self.addresses) = (hasDirect, hasRooms, addresses)
  }

  package static let all = BridgeScope(hasDirect: true, hasRooms: true)

  /// Reads `all`, `direct`, `rooms` and addresses; `nil` if one of them is none of these.
  package init?(_ names: [String]) {
    self.init()
    for name in names {
      switch name {
      case "all": (hasDirect, hasRooms) = (true, true)
      case "direct": hasDirect = true
      case "rooms": hasRooms = true
      default:
        guard let jid = JID(parsing: name), jid.local != nil || jid.domain.contains(".") else {
          return nil
        }
        addresses.insert(jid)
      }
    }
  }

  /// Indicates whether it covers every conversation.
  package var isAll: Bool { hasDirect && hasRooms }

  package func contains(_ jid: JID, _ kind: Conversation.ConversationKind) -> Bool {
    (kind == .room ? hasRooms : hasDirect) || addresses.contains(jid)
  }
}

/// The rights of a client.
package struct BridgeRights: Sendable {
  /// The reason why a right is missing.
  package enum Reason: String, Sendable {
    case notDeclared = "not-declared"
    case declined, revoked
    case notAsked = "not-asked"
    case notAnswered = "not-answered"
    case policy
  }

  /// The decision about a right in an account.
  package enum Decision: Sendable {
    case held(BridgeScope)
    case refused(Reason)
  }

  private let decide: @Sendable (BridgePermission, JID) -> Decision

  /// - Parameter decide: decides about a right in the account of that address.
  package init(_ decide: @escaping @Sendable (BridgePermission, JID) -> Decision) {
    self.decide = decide
  }

  /// All rights: the client is the user's own program.
  package static let person = BridgeRights { _, _ in .held(.all) }
  /// No right: only the methods that need none.
  package static let none = BridgeRights { _, _ in .refused(.notDeclared) }

  /// Returns the conversations of an account in which a right is held.
  /// - Throws: `BridgeError.Code.permission`.
  func scope(of permission: BridgePermission, in account: JID) throws(BridgeError) -> BridgeScope {
    switch decide(permission, account) {
    case .held(let scope): return scope
    case .refused(let reason): throw .permission(permission, reason)
    }
  }
}

extension BridgeError {
  package static func permission(
    _ permission: BridgePermission, _ reason: BridgeRights.Reason, scope: String = "all"
  ) -> BridgeError {
    BridgeError(
      .permission, "permission denied: \(permission.rawValue), \(reason.rawValue)",
      notice: StatusNotice(.error, Code.permission.key, ["permission": permission.rawValue]),
      details: [
        "permission": .text(permission.rawValue), "scope": .text(scope),
        "reason": .text(reason.rawValue),
      ])
  }
}
