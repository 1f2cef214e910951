import API
import Configuration
import ConnectionService
import Crypto
import Diagnostics
import DiscoverService
import FileService
import MessagingService
import NatterCore
import PeopleService
import RoomService
import SessionService
import Sockets
import Storage
import Text
import ViewModels
import XML
import XMPP

/// The services of one account, from its database up to its connection. Read from top to bottom.
nonisolated struct AccountServices: Sendable {
  let account: Account
  let hub: EventHub
  let log: Log
  let localizer: Localizer
  let database: AccountDatabase
  let outbox: Outbox
  let roster: RosterSync
  let presence: PresenceTracker
  let history: ArchiveService
  let roomArchives: RoomArchives
  let rooms: AccountRooms
  let commands: AccountEventInbox
  let dataSync: DataSynchronizer
  let readState: ReadStateSync
  let chatStates: ChatStateTracker
  let profile: ProfilePublisher
  let blockList: BlockListSync
  let contactCards: ContactCardLoader
  let commander: RemoteCommander
  let files: TransferQueue
  let publicRooms: PublicRoomFinder
  let guide: ComponentDirectory
  let contacts: SupportContacts
  let feeds: FeedReader
  let events: CalendarSync
  let connection: ConnectionSupervisor

  /// - Parameters:
  ///   - database: open, and owned from here on.
  ///   - languages: the languages that the user reads, the preferred one first.
  ///   - resource: the name of this client among those of the account; `nil` has the server choose.
  init(
    account: Account, database: AccountDatabase, credentials: any CredentialStoring,
    renewal: (any CredentialRenewing)? = nil, connector: any StreamConnecting,
    identity: ClientIdentity, localizer: Localizer, languages: [String],
    avatars: any AvatarCaching, web: APIClient, transfers: TransferOptions,
    hub: EventHub, log: Log, privacy: Settings.Privacy = .init(), resource: String? = nil
  ) {
    self.account = account
    self.hub = hub
    self.log = log
    self.localizer = localizer
    self.database = database

    let rooms = AccountRooms(
      account: account.jid, store: database.bookmarks,
      addresses: AddressBook(
        of: account.jid, rooms: nil, conversations: database.conversations,
        roster: database.roster),
      hub: hub, log: log, readsArchives: true)
    self.rooms = rooms
    outbox = Outbox(
      account: account.jid, store: database.outbox, routes: rooms, hub: hub, log: log,
      texts: Self.outboxTexts(localizer),
      options: OutboxOptions(
        payloads: [MarkerPayload.request]
          + (privacy.sendsTyping ? [ChatStatePayload.besideText] : [])))
    files = TransferQueue(
      account: account.jid, store: database.transfers, transport: web.forFiles(of: account),
      messages: outbox,
      roster: database.roster, hub: hub, log: log, options: transfers)
    let receiver = MessageReceiver(
      account: account.jid, store: database.messages,
      rooms: BookmarkedRooms(rooms, waits: false), hub: hub, log: log, languages: languages)
    let receipts = ReceiptSender(
      account: account.jid, store: database.readState, roster: database.roster, hub: hub,
      log: log, isOn: privacy.sendsReceipts)
    let readState = ReadStateSync(
      account: account.jid, store: database.readState, deliveries: database.outbox,
      roster: database.roster, hub: hub, log: log, sendsMarkers: privacy.sendsMarkers)
    self.readState = readState
    let chatStates = ChatStateTracker(
      roster: database.roster, rooms: rooms, threads: database.timeline, hub: hub,
      isOn: privacy.sendsTyping)
    self.chatStates = chatStates
    presence = PresenceTracker(
      account: account.jid, roster: database.roster, hub: hub, log: log,
      capabilities: { identity.capabilities }, memory: identity.memory(database.presence),
      sendsIdle: privacy.sendsIdle, follower: rooms)
    roster = RosterSync(
      account: account.jid, store: database.roster, hub: hub, log: log, requests: presence)
    let copies = CarbonCopies(log: log)
    let conversations = database.conversations
    let profiles = ProfileFetcher(
      account: account.jid, store: database.roster, roster: database.roster, hub: hub, log: log)
    let profile = ProfilePublisher(
      account: account.jid, store: database.cards, changes: database.pendingChanges, hub: hub,
      log: log)
    self.profile = profile
    let blockList = BlockListSync(
      account: account.jid, store: database.roster, hub: hub, log: log)
    self.blockList = blockList
    commander = RemoteCommander(presence: presence)
    contactCards = ContactCardLoader(
      account: account.jid, cards: database.cards, profiles: database.roster,
      blockList: blockList, presence: presence, avatars: avatars, hub: hub)
    events = CalendarSync(
      account: account.jid, store: database.events, roster: database.roster, hub: hub, log: log,
      changes: database.pendingChanges)
    // The handlers of each command: one entry for each module that has some.
    let commands = AccountEventInbox(
      account: account.jid, store: database.commands,
      handlers: [rooms, presence, profiles, blockList, events],
      log: log)
    self.commands = commands
    var archivePorts = ArchivePorts(
      account: account.jid, store: database.archiveRanges, deliveries: database.outbox,
      copies: copies, hub: hub, log: log)
    archivePorts.inbox = commands
    archivePorts.followers = [receipts, readState]
    archivePorts.rooms = BookmarkedRooms(rooms)
    archivePorts.memory = database.archiveProgress
    archivePorts.languages = languages
    archivePorts.isRoom = { jid in
      // The code that needs the conversation reads it again and reports the error.
      (try? await conversations.conversation(jid))??.kind == .room
    }
    let history = ArchiveService(archivePorts)
    self.history = history
    roomArchives = RoomArchives(archives: history, rooms: rooms)
    // Data sync: the lists that name conversations, and the descriptions of those.
    let sync = DataSynchronizer(
      lists: [ContactConversations(roster: database.roster), rooms, readState],
      descriptions: [rooms, history, profiles],
      commands: commands,
      store: database.commands, hub: hub, log: log)
    dataSync = sync
    publicRooms = PublicRoomFinder(
      account: account.jid, store: database.publicRooms, hub: hub, log: log,
      changes: database.pendingChanges)
    guide = ComponentDirectory(
      account: account.jid, store: database.serverParts, hub: hub, log: log)
    contacts = SupportContacts(account: account.jid, memory: database.settings)
    feeds = FeedReader(
      account: account.jid, store: database.feeds, hub: hub, log: log,
      changes: database.pendingChanges)
    var answers = identity.answers
    answers[XEP0012LastActivity.namespace] = { [presence] in
      await presence.lastActivity(askedBy: $0.from)?.element
    }
    let queries = QueryResponder(answers: answers) { [bare = account.jid.bare] in
      $0.isRosterSet || $0.isBlockListPush(of: bare)
    }

    connection = ConnectionSupervisor(
      account: account, credentials: credentials, renewal: renewal, connector: connector,
      // Carbon copies are on before anything can arrive. The roster comes before presence: some
      // servers push changes only to a client that has requested it. Pending blocks come before
      // presence, too: presence brings what strangers sent. Messages are stored before a receipt
      // for them is sent, and before the archive's range includes them. The occupants of a room
      // come before its messages. Messages written offline are sent when everything is set up,
      // without waiting for the archive. Receipts and read markers are sent after the catch-up: the
      // archive may show that another client has sent them. Data sync finds the roster fetched and
      // the archive read.
      consumers: [
        // A query is answered from what came before it: a contact of the same batch counts. Old
        // facts about a client are dropped before any consumer learns that it is online again.
        roster, queries, copies, PendingBlocks(blockList), contactCards, presence, blockList, rooms,
        receiver,
        commands, outbox, chatStates, history, receipts, readState, files, profile,
        commander, sync, publicRooms, guide,
        feeds, events, contacts, WithdrawnRequests(presence),
      ],
      hub: hub, log: log, resource: resource, keeper: database.resumption,
      network: NetworkMonitor())
  }

  /// Returns the texts about sent messages in the language of `localizer`.
  static func outboxTexts(_ localizer: Localizer) -> OutboxTexts {
    OutboxTexts(
      expiry: localizer("timeline.expired"), outside: localizer("timeline.outside"),
      retraction: localizer("timeline.retraction"),
      absence: { localizer("timeline.absent", ["name": $0]) },
      refusal: { localizer(NatterError(answering: $0)).trimmed },
      rejection: { localizer("timeline.rejected", ["text": $0.text ?? $0.condition.rawValue]) },
      oversize: { limit in
        localizer(
          limit.isAnnounced ? "timeline.oversize" : "timeline.overlong",
          ["limit": String(limit.bytes)])
      })
  }

  /// The files of other instances for this account, with a line in the log for each that cannot
  /// be read; `nil` for a database without a file.
  var spool: MessageSpool? { database.spool?.reporting { [log] in log.warning($0) } }

  /// Keeps the account connected, its history complete and its services running until the task is
  /// cancelled; then closes it in order.
  func run() async {
    // Subscribed before anything runs, so that no event is missed.
    let forOutbox = hub.events()
    let forHistory = hub.events()
    let forFiles = hub.events()
    let forSearch = hub.events()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [rooms] in await rooms.run() }
      group.addTask { [outbox] in await outbox.follow(forOutbox) }
      group.addTask { [outbox] in await outbox.run() }
      group.addTask { [history] in await history.run() }
      group.addTask { [readState] in await readState.run() }
      group.addTask { [files] in await files.run() }
      group.addTask { [files] in await files.follow(forFiles) }
      group.addTask { [roomArchives] in await roomArchives.follow(forHistory) }
      let upkeep = SearchUpkeep(search: database.search, log: log)
      group.addTask { await upkeep.run(forSearch) }
      if let spool {
        let importer = SpooledMessageImporter(
          spool: spool, outbox: outbox, timeline: database.timeline, hub: hub, log: log
        ) {
          try await self.recipient($0)
        }
        let files = SpooledFileSender(
          spool: spool, services: self,
          format: ItemFormat(localizer: localizer, account: account.jid))
        group.addTask { await importer.run() }
        group.addTask { await files.run() }
      }
      await connection.run()
      group.cancelAll()
    }
  }
}
