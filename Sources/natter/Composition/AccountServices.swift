import ConnectionService
import Crypto
import Diagnostics
import Foundation
import NatterCore
import PeopleService
import ReceiveService
import SendService
import Sockets
import Storage
import SyncService
import ViewModels
import XMPP

/// Everything that works for one account, from its database up to its connection. Read from top to bottom.
nonisolated struct AccountServices: Sendable {
  let account: Account
  let hub: EventHub
  let database: AccountDatabase
  let outbox: Outbox
  let roster: RosterKeeper
  let presence: PresenceKeeper
  let history: ArchiveSynchronizer
  let connection: ConnectionSupervisor

  /// - Parameters:
  ///   - database: open, and owned from here on.
  ///   - resource: what this client calls itself among those of the account; `nil` has the server choose.
  init(
    account: Account, database: AccountDatabase, credentials: any CredentialStoring,
    connector: any StreamConnecting, identity: ClientIdentity, localizer: Localizer,
    hub: EventHub, log: Log, resource: String? = nil
  ) {
    self.account = account
    self.hub = hub
    self.database = database

    outbox = Outbox(
      account: account.jid, store: database.messages, hub: hub, log: log,
      explain: {
        localizer("stanza.\($0.condition.rawValue)", ["text": $0.text ?? ""])
          .trimmingCharacters(in: .whitespaces)
      }, expiry: localizer("timeline.expired"))
    let receiver = MessageReceiver(
      account: account.jid, store: database.messages, hub: hub, log: log)
    let receipts = ReceiptSender(roster: database.roster)
    presence = PresenceKeeper(
      account: account.jid, roster: database.roster, hub: hub, log: log,
      capabilities: { identity.capabilities })
    roster = RosterKeeper(
      account: account.jid, store: database.roster, hub: hub, log: log, requests: presence)
    let copies = CarbonCopies(account: account.jid, log: log)
    let history = ArchiveSynchronizer(
      account: account.jid, store: database.messages, deliveries: database.messages,
      copies: copies, hub: hub, log: log)
    self.history = history
    let queries = QueryResponder(answers: identity.answers, claimedSets: [Namespace.roster])

    connection = ConnectionSupervisor(
      account: account, credentials: credentials, connector: connector,
      // Copies are on before anything can arrive. The roster before presence: some servers push changes only to a client
      // that has asked for it. Messages are stored before a receipt for them goes out, and before the archive's range
      // takes them in. What was typed offline goes when all is set up, and does not wait for the archive.
      consumers: [queries, copies, roster, presence, receiver, receipts, outbox, history], hub: hub,
      log: log,
      resource: resource, keeper: database.resumption, network: NetworkMonitor())
  }

  /// Keeps the account connected, and asks about what has waited too long, until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await connection.run() }
      group.addTask { await outbox.run() }
    }
  }
}
