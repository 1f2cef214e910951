import Crypto
import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Sends and fetches files, a few at a time, and keeps what is to be done over lost connections and
/// restarts (flows.md, "Sending").
///
/// Every transfer is in the database before its first byte moves. An upload ends with the message
/// that offers it, whose origin-id is fixed at the start: retries send one message.
package actor TransferQueue: SessionConsuming {
  let account: JID
  let store: any TransferStoring
  let messages: any FileMessageSending
  let roster: any RosterStoring
  let hub: EventHub
  let log: Log
  let options: TransferOptions
  let identifiers: IdentifierSource
  let now: @Sendable () -> Date
  let uploader: Uploader
  let downloader: Downloader
  let checksums: Checksums
  let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Transfers that are not done.
  var open: [FileTransfer.ID: FileTransfer] = [:]
  var running: [FileTransfer.ID: ActiveTransfer] = [:]
  private var isLoaded = false
  /// Uploads of this run whose message was sent: they cannot be cancelled any more.
  var offered: Set<FileTransfer.ID> = []

  var session = TransferSession()
  /// Uploads in progress by digest, with those of the same content that wait for them.
  var slotRequests: [String: [AsyncStream<Void>.Continuation]] = [:]
  /// The addresses of the uploads of this run of the program, by digest and service.
  var uploaded: [String: String] = [:]
  /// Uploads that are complete and wait until their message may be sent.
  var inOrder: [AsyncStream<Void>.Continuation] = []
  /// Indicates whether a message is being sent, or the text that follows it.
  var isOffering = false
  /// An upper bound of the number of connections so far.
  private(set) var connections = 0
  /// Transfers that may not begin yet, even if there is a slot.
  var waits: [FileTransfer.ID: TransferWait] = [:]
  /// Transfers of this run that failed without a reply: another connection is another attempt.
  var unanswered: Set<FileTransfer.ID> = []

  package init(
    account: JID, store: any TransferStoring, transport: any FileTransporting,
    messages: any FileMessageSending, roster: any RosterStoring, hub: EventHub, log: Log,
    options: TransferOptions, crypto: CryptoLibrary = CryptoLibrary(),
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    room: @escaping @Sendable (CInt) -> Int? = { Downloader.room(of: $0) }
  ) {
    self.account = account.bare
    self.store = store
    self.messages = messages
    self.roster = roster
    self.hub = hub
    self.log = log
    self.options = options
    self.identifiers = identifiers
    self.now = now
    checksums = Checksums(crypto: crypto)
    uploader = Uploader(transport: transport, store: store, checksums: checksums, sleep: sleep)
    downloader = Downloader(
      transport: transport, checksums: checksums, sleep: sleep, room: room)
  }

  /// Works on what is to be done, until the task is cancelled.
  package func run() async {
    await load()
    await withDiscardingTaskGroup { group in
      wakeUp.yield()
      for await _ in wakeUps {
        while let next = next() { group.addTask { await self.carry(next) } }
      }
    }
    session.search?.cancel()
  }

  func wake() {
    wakeUp.yield()
    for waiting in inOrder { waiting.finish() }
    inOrder = []
  }

  /// Follows the events: small files of contacts are downloaded if the user has allowed it.
  /// - Parameter events: subscribed to before anything runs.
  package func follow(_ events: AsyncStream<DomainEvent>) async {
    guard options.automaticLimit > 0 else { return }
    for await event in events {
      guard case .messagesStored(let stored) = event else { continue }
      for message in stored where await isWelcome(message) {
        do {
          _ = try await fetch(message, to: nil, isWanted: false)
        } catch {
          // It was automatic: the user can still ask for it.
          log.info("an automatic download did not begin: \(error)")
        }
      }
    }
  }

  private func isWelcome(_ message: Message) async -> Bool {
    guard message.direction == .incoming, let file = message.file, let count = file.byteCount,
      (1...options.automaticLimit).contains(count),
      options.mayAsk(file.address.lowercased(), over: uploader.transport)
    else { return false }
    // Without the roster, no sender is known to be a contact.
    guard let contact = try? await roster.contact(message.conversation) else { return false }
    return contact.jid == message.conversation
  }

  /// Reads what earlier runs of the program left.
  func load() async {
    guard !isLoaded else { return }
    do {
      for transfer in try await store.transfers() where transfer.state != .done {
        if open[transfer.id] == nil { open[transfer.id] = transfer }
      }
      isLoaded = true
      if !open.isEmpty { hub.publish(.transfersChanged(open.values.sorted { $0.id < $1.id })) }
    } catch {
      log.error("reading the transfers failed: \(error)")
    }
  }

  // MARK: The session

  package func connectionOpened() async { await connected() }

  package func channelOpened(_ channel: any StanzaChannel) async {
    session.end()
    session.channel = channel
    await connected()
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.session.channel = channel
    await connected()
  }

  package func sessionResumed() async { await connected() }

  package func sessionEnded() async { session.end() }

  /// Queues the transfers again that failed without a reply over an earlier connection.
  private func connected() async {
    connections += 1
    let again = unanswered
    unanswered = []
    for id in again {
      guard case .failed = open[id]?.state else { continue }
      await put(id) { $0.state = .waiting }
    }
    wake()
  }
}
