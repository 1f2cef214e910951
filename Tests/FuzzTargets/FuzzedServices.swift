import API
import ConnectionService
import Crypto
import Diagnostics
import DiscoverService
import FileService
import FoundationEssentials
import HTTP
import MessagingService
import NatterCore
import PeopleService
import RoomService
import SessionService
import Sockets
import Storage
import TestSupport
import XML
import XMPP

/// The services of an account as the program has them, over one connection and a database in
/// memory.
struct FuzzedServices: Sendable {
  let database: AccountDatabase
  private let connection: ConnectionSupervisor
  private let work: [@Sendable () async -> Void]
  private let end: EndOfSession

  init(on stream: MemoryByteStream) async throws {
    let account = ConnectionFuzzing.account
    let database = try await AccountDatabase.inMemory()
    self.database = database
    let hub = EventHub()
    let log = Log.none
    try await database.bookmarks.save(
      Bookmark(room: ConnectionFuzzing.room, nick: "alice", autojoins: true, isWanted: true))
    let friend = JID(local: "bob", domain: "example.org")
    _ = try await database.outbox.enqueue(
      body: "hello", to: friend, from: account, originID: "o1",
      at: Date(timeIntervalSince1970: 1_700_000_000))

    let rooms = AccountRooms(
      account: account, store: database.bookmarks,
      addresses: AddressBook(
        of: account, rooms: nil, conversations: database.conversations, roster: database.roster),
      hub: hub, log: log, readsArchives: true)
    let outbox = Outbox(
      account: account, store: database.outbox, routes: rooms, hub: hub, log: log)
    let files = TransferQueue(
      account: account, store: database.transfers,
      transport: APIClient(transport: ScriptedReplies([])), messages: outbox,
      roster: database.roster, hub: hub, log: log, options: TransferOptions(folder: "/nowhere"))
    let receiver = MessageReceiver(
      account: account, store: database.messages, rooms: rooms, hub: hub, log: log)
    let receipts = ReceiptSender(
      account: account, store: database.readState, roster: database.roster, hub: hub, log: log)
    let readState = ReadStateSync(
      account: account, store: database.readState, deliveries: database.outbox,
      roster: database.roster, hub: hub, log: log)
    let chatStates = ChatStateTracker(roster: database.roster, rooms: rooms, hub: hub)
    let presence = PresenceTracker(
      account: account, roster: database.roster, hub: hub, log: log, capabilities: { nil },
      memory: database.presence, follower: rooms)
    let roster = RosterSync(
      account: account, store: database.roster, hub: hub, log: log, requests: presence)
    let copies = CarbonCopies(log: log)
    let profiles = ProfileFetcher(
      account: account, store: database.roster, roster: database.roster, hub: hub, log: log)
    let profile = ProfilePublisher(
      account: account, store: database.cards, changes: database.pendingChanges, hub: hub, log: log)
    let blockList = BlockListSync(
      account: account, store: database.roster, hub: hub, log: log)
    let cards = ContactCardLoader(
      account: account, cards: database.cards, profiles: database.roster, blockList: blockList,
      presence: presence, avatars: NoAvatars(), hub: hub)
    let events = CalendarSync(
      account: account, store: database.events, roster: database.roster, hub: hub, log: log,
      changes: database.pendingChanges)
    let commands = AccountEventInbox(
      account: account, store: database.commands,
      handlers: [rooms, presence, profiles, blockList, events], log: log)
    let conversations = database.conversations
    var ports = ArchivePorts(
      account: account, store: database.archiveRanges, deliveries: database.outbox, copies: copies,
      hub: hub, log: log)
    ports.inbox = commands
    ports.followers = [receipts, readState]
    ports.rooms = rooms
    ports.memory = database.archiveProgress
    ports.isRoom = { (try? await conversations.conversation($0))??.kind == .room }
    let history = ArchiveService(ports)
    let archives = RoomArchives(archives: history, rooms: rooms)
    let sync = DataSynchronizer(
      lists: [ContactConversations(roster: database.roster), rooms, readState],
      descriptions: [rooms, history, profiles], commands: commands, store: database.commands,
      hub: hub, log: log)
    let end = EndOfSession()
    self.end = end
    // In the program's order (AccountServices).
    connection = ConnectionSupervisor(
      account: Account(jid: account), credentials: OnePassword(),
      connector: OneConnection(stream),
      consumers: [
        roster,
        QueryResponder(answers: [:]) { $0.isRosterSet || $0.isBlockListPush(of: account.bare) },
        copies, PendingBlocks(blockList), cards, presence, blockList, rooms, receiver, commands,
        outbox, chatStates, history, receipts, readState, files, profile,
        RemoteCommander(presence: presence), sync,
        PublicRoomFinder(
          account: account, store: database.publicRooms, hub: hub, log: log,
          changes: database.pendingChanges),
        ComponentDirectory(account: account, store: database.serverParts, hub: hub, log: log),
        FeedReader(
          account: account, store: database.feeds, hub: hub, log: log,
          changes: database.pendingChanges),
        events, SupportContacts(account: account, memory: database.settings), end,
      ], hub: hub, log: log, resource: "test")
    let (forOutbox, forHistory, forFiles) = (hub.events(), hub.events(), hub.events())
    work = [
      { await rooms.run() }, { await outbox.follow(forOutbox) }, { await outbox.run() },
      { await history.run() }, { await readState.run() }, { await files.run() },
      { await files.follow(forFiles) }, { await archives.follow(forHistory) },
    ]
  }

  /// Keeps everything at work until the session is over.
  func runUntilSessionEnds() async {
    await withTaskGroup(of: Void.self) { group in
      for work in work { group.addTask { await work() } }
      group.addTask { [connection] in await connection.run() }
      await end.wait()
      group.cancelAll()
    }
  }
}

/// The last of the consumers: it knows when all of them have been notified that the session is
/// over.
private actor EndOfSession: SessionConsuming {
  private let (ended, signal) = AsyncStream<Void>.makeStream()
  func sessionEnded() { signal.finish() }
  func wait() async { for await _ in ended {} }
}

private struct OnePassword: CredentialStoring {
  func credential(for account: JID) -> Credential? { Credential(password: "secret") }
  func save(_ credential: Credential, for account: JID) {}
  func removeCredential(for account: JID) {}
}

private struct NoAvatars: AvatarCaching {
  func avatar(_ id: String) -> AvatarPicture? { nil }
  func keepAvatar(base64: String, id: String?) -> AvatarPicture? { nil }
}

/// Has one connection to give.
private actor OneConnection: StreamConnecting {
  private var stream: MemoryByteStream?

  init(_ stream: MemoryByteStream) { self.stream = stream }

  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    guard let stream else { throw ConnectionProblem(.unreachable, host: account.jid.domain) }
    self.stream = nil
    do {
      return try await XMPPStream.open(
        over: stream,
        options: StreamOptions(
          domain: account.jid.domain, user: account.jid.local ?? "", password: "secret",
          resource: resource),
        crypto: CryptoLibrary(),
        startTLS: { transport throws(SocketError) in transport })
    } catch {
      throw ConnectionProblem(error, host: account.jid.domain)
    }
  }
}
