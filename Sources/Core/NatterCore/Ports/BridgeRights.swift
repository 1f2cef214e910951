import JSONLines
import XMPP

/// A right that methods and events of the bridge need.
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
  /// Further conversations, each only if it is of that kind. Only an intersection has them.
  private var direct: Set<JID> = []
  private var rooms: Set<JID> = []

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

  /// The names that `init(_:)` reads, in a fixed order.
  package var names: [String] {
    if isAll { return ["all"] }
    return (hasDirect ? ["direct"] : []) + (hasRooms ? ["rooms"] : [])
      + addresses.union(direct).union(rooms).map(\.description).sorted()
  }

  /// Indicates whether it covers every conversation.
  package var isAll: Bool { hasDirect && hasRooms }

  /// Indicates whether it covers no conversation.
  package var isEmpty: Bool {
    !hasDirect && !hasRooms && addresses.isEmpty && direct.isEmpty && rooms.isEmpty
  }

  package func contains(_ jid: JID, _ kind: Conversation.ConversationKind) -> Bool {
    if addresses.contains(jid) { return true }
    return kind == .room ? hasRooms || rooms.contains(jid) : hasDirect || direct.contains(jid)
  }

  /// Returns the conversations that both cover.
  package func intersection(_ other: BridgeScope) -> BridgeScope {
    var scope = BridgeScope(
      hasDirect: hasDirect && other.hasDirect, hasRooms: hasRooms && other.hasRooms)
    // Whether an address is that of a room is known only once there is a conversation.
    scope.direct = Self.common(
      hasDirect ? nil : addresses.union(direct),
      other.hasDirect ? nil : other.addresses.union(other.direct))
    scope.rooms = Self.common(
      hasRooms ? nil : addresses.union(rooms),
      other.hasRooms ? nil : other.addresses.union(other.rooms))
    scope.addresses = scope.direct.intersection(scope.rooms)
    // Addresses of a kind that is covered as a whole need not be distinguished.
    if scope.hasRooms { scope.addresses.formUnion(scope.direct) }
    if scope.hasDirect { scope.addresses.formUnion(scope.rooms) }
    scope.direct.subtract(scope.addresses)
    scope.rooms.subtract(scope.addresses)
    return scope
  }

  /// Indicates whether it covers every conversation that another scope covers.
  package func isSuperset(of other: BridgeScope) -> Bool {
    func covers(_ isWhole: Bool, _ own: Set<JID>, _ isOtherWhole: Bool, _ others: Set<JID>) -> Bool
    {
      isWhole || !isOtherWhole && addresses.union(own).isSuperset(of: other.addresses.union(others))
    }
    return covers(hasDirect, direct, other.hasDirect, other.direct)
      && covers(hasRooms, rooms, other.hasRooms, other.rooms)
  }

  /// Returns the addresses that both have; `nil` means all of them.
  private static func common(_ left: Set<JID>?, _ right: Set<JID>?) -> Set<JID> {
    guard let left else { return right ?? [] }
    return right.map(left.intersection) ?? left
  }
}

/// The rights of a client of the bridge.
package struct BridgeRights: Sendable {
  /// The reason why a right is missing, by its name on the wire.
  package enum Reason: String, Sendable {
    case notDeclared = "not-declared"
    case declined, revoked
    case notAsked = "not-asked"
    case notAnswered = "not-answered"
    case policy
  }

  /// The decision about a right in an account.
  package enum Decision: Hashable, Sendable {
    case held(BridgeScope)
    case refused(Reason)
  }

  /// A right that was taken back while the client is connected.
  package struct Revocation: Hashable, Sendable {
    package let permission: BridgePermission
    /// The account, bare; `nil`: all.
    package let account: JID?

    package init(_ permission: BridgePermission, in account: JID?) {
      (self.permission, self.account) = (permission, account?.bare)
    }
  }

  private let held: @Sendable (BridgePermission, JID) -> Decision
  private let ask: (@Sendable (BridgePermission, JID) async -> Decision)?
  private let begin: (@Sendable () -> AsyncStream<Revocation>)?
  private let note: (@Sendable (BridgePermission, JID) -> Void)?
  private let confirm: (@Sendable (AskedContactChange) async -> Reason?)?

  /// - Parameters:
  ///   - held: decides about a right in the account of that address, without asking the user.
  ///   - ask: asks the user for a right that is not held, and waits for the answer, or until the
  ///     task is cancelled; a right that is given once is held for this call only. `nil`: the
  ///     user is never asked.
  ///   - revocations: begins to follow the rights that are taken back, and those whose scope is
  ///     narrowed; `held` has changed before. `nil`: they never are.
  ///   - note: called each time that a request uses a right.
  ///   - confirm: asks the user about a change of contacts, for which the right is held; it
  ///     returns why it is refused. `nil`: the user is not asked, and all are made.
  package init(
    held: @escaping @Sendable (BridgePermission, JID) -> Decision,
    ask: (@Sendable (BridgePermission, JID) async -> Decision)? = nil,
    revocations: (@Sendable () -> AsyncStream<Revocation>)? = nil,
    note: (@Sendable (BridgePermission, JID) -> Void)? = nil,
    confirm: (@Sendable (AskedContactChange) async -> Reason?)? = nil
  ) {
    (self.held, self.ask, begin, self.note) = (held, ask, revocations, note)
    self.confirm = confirm
  }

  /// All rights: the client is the user's own program.
  package static let person = BridgeRights(held: { _, _ in .held(.all) })
  /// No right: only the methods that need none.
  package static let none = BridgeRights(held: { _, _ in .refused(.notDeclared) })

  /// Returns the decision about a right without asking.
  package func current(_ permission: BridgePermission, in account: JID) -> Decision {
    held(permission, account)
  }

  /// Notes that a request uses a right that is held, as `current` says. `decision` does so itself.
  package func noteUse(of permission: BridgePermission, in account: JID) {
    note?(permission, account)
  }

  /// Returns the decision about a right that is needed now; the user may be asked.
  package func decision(_ permission: BridgePermission, in account: JID) async -> Decision {
    var decision = held(permission, account)
    if case .refused = decision, let ask { decision = await ask(permission, account) }
    if case .held = decision { note?(permission, account) }
    return decision
  }

  /// Returns why a change of contacts is refused, for which the right is held; the user may be
  /// asked. `nil`: it is not refused.
  package func refusal(of change: AskedContactChange) async -> Reason? { await confirm?(change) }

  /// The rights that are taken back from now on; `nil`: they never are.
  package func revocations() -> AsyncStream<Revocation>? { begin?() }
}

/// A client of the bridge that is known before its first line: a script.
package struct BridgeClient: Sendable {
  package let name: String
  package let rights: BridgeRights
  package let limits: ClientLimits

  package init(name: String, rights: BridgeRights, limits: ClientLimits = .script) {
    (self.name, self.rights, self.limits) = (name, rights, limits)
  }
}
