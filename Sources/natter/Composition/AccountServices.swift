import ConnectionService
import Crypto
import Diagnostics
import Foundation
import NatterCore
import PeopleService
import ReceiveService
import RoomService
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
  let rooms: RoomKeeper
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

    let rooms = RoomKeeper(
      account: account.jid, store: database.bookmarks, hub: hub, log: log, readsArchives: false)
    self.rooms = rooms
    outbox = Outbox(
      account: account.jid, store: database.messages, routes: rooms, hub: hub, log: log,
      explain: {
        localizer("stanza.\($0.condition.rawValue)", ["text": $0.text ?? ""])
          .trimmingCharacters(in: .whitespaces)
      })
    let receiver = MessageReceiver(
      account: account.jid, store: database.messages, rooms: rooms, hub: hub, log: log)
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
      // takes them in. A room's people before its messages. What was typed offline goes when all is set up, and does not
      // wait for the archive.
      consumers: [queries, copies, roster, presence, rooms, receiver, receipts, outbox, history],
      hub: hub, log: log,
      resource: resource, network: NetworkMonitor())
  }

  /// Keeps the account connected and everything at work, until the task is cancelled; then it is closed in order.
  func run() async {
    // Subscribed before anything runs: no news is missed.
    let events = hub.events()
    let rooms = rooms
    let outbox = outbox
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await rooms.run() }
      group.addTask { await outbox.follow(events) }
      await connection.run()
      group.cancelAll()
    }
  }
}
