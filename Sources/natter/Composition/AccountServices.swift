import Configuration
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
  let readState: ReadStateKeeper
  let chatStates: ChatStateKeeper
  let connection: ConnectionSupervisor

  /// - Parameters:
  ///   - database: open, and owned from here on.
  ///   - resource: what this client calls itself among those of the account; `nil` has the server choose.
  init(
    account: Account, database: AccountDatabase, credentials: any CredentialStoring,
    connector: any StreamConnecting, identity: ClientIdentity, localizer: Localizer,
    hub: EventHub, log: Log, privacy: Settings.Privacy = .init(), resource: String? = nil
  ) {
    self.account = account
    self.hub = hub
    self.database = database

    outbox = Outbox(
      account: account.jid, store: database.messages, hub: hub, log: log,
      payloads: [XEP0333Marker.request]
        + (privacy.sendsTyping ? [XEP0085ChatState.active.element] : []),
      explain: {
        localizer("stanza.\($0.condition.rawValue)", ["text": $0.text ?? ""])
          .trimmed
      })
    let receiver = MessageReceiver(
      account: account.jid, store: database.messages, hub: hub, log: log)
    let receipts = ReceiptSender(
      account: account.jid, store: database.readState, roster: database.roster, log: log,
      isOn: privacy.sendsReceipts)
    let readState = ReadStateKeeper(
      account: account.jid, store: database.readState, deliveries: database.messages,
      roster: database.roster, hub: hub, log: log, sendsMarkers: privacy.sendsMarkers)
    self.readState = readState
    let chatStates = ChatStateKeeper(
      roster: database.roster, hub: hub, isOn: privacy.sendsTyping)
    self.chatStates = chatStates
    presence = PresenceKeeper(
      account: account.jid, roster: database.roster, hub: hub, log: log,
      capabilities: { identity.capabilities })
    roster = RosterKeeper(
      account: account.jid, store: database.roster, hub: hub, log: log, requests: presence)
    let copies = CarbonCopies(account: account.jid, log: log)
    let history = ArchiveSynchronizer(
      account: account.jid, store: database.messages, deliveries: database.messages,
      copies: copies, hub: hub, log: log, followers: [receipts, readState])
    self.history = history
    let queries = QueryResponder(answers: identity.answers, claimedSets: [Namespace.roster])

    connection = ConnectionSupervisor(
      account: account, credentials: credentials, connector: connector,
      // Copies are on before anything can arrive. The roster before presence: some servers push changes only to a client
      // that has asked for it. Messages are stored before a receipt for them goes out, and before the archive's range
      // takes them in. What was typed offline goes when all is set up, and does not wait for the archive. Receipts and
      // what was read are told once the archive was caught up with: it may say that another client has told it.
      consumers: [
        queries, copies, roster, presence, receiver, outbox, chatStates, history, receipts,
        readState,
      ],
      hub: hub, log: log, resource: resource, network: NetworkMonitor())
  }

  /// Works until the task is cancelled; then the connection is closed in order.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await readState.run() }
      await connection.run()
      group.cancelAll()
    }
  }
}
