import ConnectionService
import Crypto
import Diagnostics
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
  let commands: CommandInbox
  let dataSync: DataSynchronizer
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
          .trimmed
      })
    let receiver = MessageReceiver(
      account: account.jid, store: database.messages, hub: hub, log: log)
    let receipts = ReceiptSender(roster: database.roster)
    presence = PresenceKeeper(
      account: account.jid, roster: database.roster, hub: hub, log: log,
      capabilities: { identity.capabilities })
    roster = RosterKeeper(
      account: account.jid, store: database.roster, hub: hub, log: log, requests: presence)
    let copies = CarbonCopies(account: account.jid, log: log)
    let conversations = database.conversations
    // Who knows what to do with which command: one entry for each module that does.
    let commands = CommandInbox(
      account: account.jid, store: database.commands, handlers: [], log: log)
    self.commands = commands
    let history = ArchiveSynchronizer(
      account: account.jid, store: database.messages, deliveries: database.messages,
      copies: copies, hub: hub, log: log, inbox: commands,
      isRoom: { jid in
        // What cannot be read is asked for again, and told, by whoever needs it.
        (try? await conversations.conversation(jid))??.kind == .room
      })
    self.history = history
    // Data sync: the lists that name conversations, and what describes those.
    let sync = DataSynchronizer(
      lists: [ContactConversations(roster: database.roster)], descriptions: [], commands: commands,
      store: database.commands, hub: hub, log: log)
    dataSync = sync
    let queries = QueryResponder(answers: identity.answers, claimedSets: [Namespace.roster])

    connection = ConnectionSupervisor(
      account: account, credentials: credentials, connector: connector,
      // Copies are on before anything can arrive. The roster before presence: some servers push changes only to a client
      // that has asked for it. Messages are stored before a receipt for them goes out, and before the archive's range
      // takes them in. What was typed offline goes when all is set up, and does not wait for the archive. Data sync finds
      // the roster fetched and the archive read.
      consumers: [
        queries, copies, roster, presence, receiver, commands, receipts, outbox, history, sync,
      ], hub: hub,
      log: log,
      resource: resource, network: NetworkMonitor())
  }

  /// Keeps the account connected and its history whole, until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await connection.run() }
      group.addTask { await history.run() }
      await group.next()
      group.cancelAll()
    }
  }
}
