import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The options of a bridge, and what it needs besides accounts.
package struct BridgeOptions: Sendable {
  /// The version of the program, and the tag of the user's language.
  let version: String
  let locale: String
  /// Returns a sentence in the user's language.
  package var texts: BridgeError.Texts = { $0.key }
  /// Returns the rights of the client with a name; without a name it is the user's own program.
  package var rights: @Sendable (String?) -> BridgeRights = { $0 == nil ? .person : .none }
  /// Returns an origin-id that is the same for the same text, and different for all others.
  package var originID: @Sendable (String) -> String = { $0 }
  /// Reads a search, with the names of filters and dates in the user's language.
  package var search: @Sendable (String) async -> SearchQuery = { SearchQuery($0) }
  /// `nil`: clients cannot end the program or have an account released.
  package var control: (any BridgeControlling)?
  /// `nil`: pins, notifications and settings are not possible.
  package var host: (any BridgeHosting)?
  package var log = Log.none
  package var clock = BridgeClock()

  package init(version: String, locale: String) {
    (self.version, self.locale) = (version, locale)
  }
}

extension BridgeOptions {
  /// The time, in seconds, within which the same `request_id` means the same message.
  package static let requestPeriod: TimeInterval = 86_400

  /// Returns the origin-ids of the message that a request with a `request_id` sends: if it was
  /// first sent on the same day (UTC), and on the day before. Other instances, and messages that
  /// are left in the spool, have the same.
  /// - Parameter client: the name of the client; `nil`: the user's own program.
  package func originIDs(
    of request: String, by client: String?, in account: JID, to conversation: JID, at now: Date
  ) -> (today: String, yesterday: String) {
    let day = Int((now.timeIntervalSince1970 / Self.requestPeriod).rounded(.down))
    func id(_ day: Int) -> String {
      // No part can contain the separator.
      originID(
        [client ?? "", account.description, conversation.description, request, String(day)]
          .joined(separator: "\u{0}"))
    }
    return (id(day), id(day - 1))
  }
}

/// What is counted over all connections of clients, for their limits. Bridges that follow each
/// other, because accounts are opened and closed, share it.
package struct BridgeCounts: Sendable {
  /// Limits the notifications of all clients together: each may be a program of its own.
  let notifications = NotificationLimit()
  /// The messages of all connections of a client: a script may begin anew.
  let sent = SentMessages()

  package init() {}
}

/// Answers clients of the accounts: methods and events as JSON-RPC 2.0, one object a line
/// (interface.md, "Bridge").
package struct Bridge: BridgeServing {
  let accounts: [BridgeAccount]
  let options: BridgeOptions
  let methods: [String: BridgeMethod]
  private let counts: BridgeCounts
  var notifications: NotificationLimit { counts.notifications }
  var sent: SentMessages { counts.sent }

  /// - Parameters:
  ///   - accounts: at least one.
  ///   - counts: those of earlier bridges in this run, whose clients may come back.
  package init(
    _ accounts: [BridgeAccount], options: BridgeOptions, counts: BridgeCounts = BridgeCounts()
  ) {
    (self.accounts, self.options, self.counts) = (accounts, options, counts)
    methods = BridgeMethod.table(hasControl: options.control != nil)
  }

  package func serve(_ connection: any BridgeConnection, for client: BridgeClient?) async {
    await BridgeSession(connection, of: self, for: client).run()
  }

  /// Returns the account of an address; `nil` if there is none.
  func account(_ jid: JID) -> BridgeAccount? { accounts.first { $0.jid == jid.bare } }

  /// Returns the question whether rights are held.
  /// - Parameter named: the account that the request names, bare; `nil`: none.
  func question(_ permissions: [BridgePermission], in named: JID?) -> RightsQuestion {
    RightsQuestion(permissions, in: named, of: accounts.map(\.jid))
  }

  /// Returns whether a request is about one of several accounts, and names none.
  func needsAccount(_ method: BridgeMethod, _ named: JID?) -> Bool {
    named == nil && method.subject == .account && accounts.count != 1
  }

  /// Returns the accounts that a request concerns, with the conversations in which its right is
  /// held.
  func subjects(
    of method: BridgeMethod, in named: JID?, _ holding: RightsQuestion.Holding
  ) throws(BridgeError) -> [BridgeCall.Subject] {
    guard let permission = method.permission else { return [] }
    // The right came first: its absence must not say which accounts there are.
    if let named, account(named) == nil { throw BridgeError(.notFound, "no such account") }
    // Without any right, there is no number of accounts either.
    if needsAccount(method, named) {
      throw .parameter("account", "is missing, and there are several accounts")
    }
    return accounts.compactMap { account in
      holding[account.jid]?[permission].map { scope in
        BridgeCall.Subject(account: account, scope: scope)
      }
    }
  }
}
