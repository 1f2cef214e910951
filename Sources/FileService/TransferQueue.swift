import Crypto
import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Sends and fetches files, a few at a time, and keeps what is to be done over lost connections and restarts (FLOWS.md 4).
///
/// Every transfer is in the database before a byte of it moves. An upload ends with the message that offers it, which has its
/// origin-id from the beginning: however often it is tried, one message is sent.
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
  private let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Transfers that are not done.
  var open: [FileTransfer.ID: FileTransfer] = [:]
  private var running: [FileTransfer.ID: Run] = [:]
  private var isLoaded = false
  /// Downloads that the person has asked for, in this run of the program.
  private var wanted: Set<FileTransfer.ID> = []
  var channel: (any StanzaChannel)?
  private var service: XEP0363Service?

  /// How many move at once.
  private static let width = 3

  /// One that is being worked on.
  private struct Run {
    let gauge: TransferGauge
    let stops: AsyncStream<Void>
    let stop: AsyncStream<Void>.Continuation

    init(gauge: TransferGauge) {
      self.gauge = gauge
      (stops, stop) = AsyncStream<Void>.makeStream()
    }
  }

  package init(
    account: JID, store: any TransferStoring, transport: any FileTransporting,
    messages: any FileMessageSending, roster: any RosterStoring, hub: EventHub, log: Log,
    options: TransferOptions, crypto: CryptoLibrary = CryptoLibrary(),
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
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
    let checksums = Checksums(crypto: crypto)
    uploader = Uploader(transport: transport, store: store, checksums: checksums, sleep: sleep)
    downloader = Downloader(
      transport: transport, checksums: checksums, sizeLimit: options.sizeLimit, sleep: sleep)
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
  }

  /// Follows the news: small files of contacts are fetched unasked, where the person has said so.
  /// - Parameter events: subscribed to before anything runs.
  package func follow(_ events: AsyncStream<DomainEvent>) async {
    guard options.automaticLimit > 0 else { return }
    for await event in events {
      guard case .messagesStored(let stored) = event else { continue }
      for message in stored where await isWelcome(message) {
        do {
          _ = try await fetch(message, to: nil, isWanted: false)
        } catch {
          // It was nobody's wish: the person can still ask for it.
          log.info("an automatic download did not begin: \(error)")
        }
      }
    }
  }

  private func isWelcome(_ message: Message) async -> Bool {
    guard message.direction == .incoming, let file = message.file, let count = file.byteCount,
      (1...options.automaticLimit).contains(count), file.address.lowercased().hasPrefix("https:")
    else { return false }
    // Without the roster nobody is known to be a contact.
    guard let contacts = try? await roster.contacts() else { return false }
    return contacts.contains { $0.jid == message.conversation }
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

  package func channelOpened(_ channel: any StanzaChannel) async { self.channel = channel }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    service = nil
    wakeUp.yield()
  }

  package func sessionResumed() async { wakeUp.yield() }
  package func sessionEnded() async { channel = nil }

  // MARK: Turns

  private func next() -> FileTransfer? {
    guard running.count < Self.width else { return nil }
    let next = open.values.filter { transfer in
      transfer.state == .waiting && running[transfer.id] == nil
        // What is on the web already only needs its message.
        && (transfer.direction == .download || channel != nil || transfer.address != nil)
    }.min { $0.id < $1.id }
    guard var transfer = next else { return nil }
    transfer.state = .running
    open[transfer.id] = transfer
    running[transfer.id] = Run(gauge: TransferGauge(transfer, hub: hub))
    return transfer
  }

  private func carry(_ transfer: FileTransfer) async {
    guard let run = running[transfer.id] else { return }
    let (gauge, stops) = (run.gauge, run.stops)
    gauge.update { $0.state = .running }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.work(on: transfer.id, gauge) }
      group.addTask { for await _ in stops {} }
      await group.next()
      group.cancelAll()
    }
    running[transfer.id] = nil
    wakeUp.yield()
  }

  private func work(on id: FileTransfer.ID, _ gauge: TransferGauge) async {
    do {
      switch gauge.transfer.direction {
      case .upload: try await upload(gauge)
      case .download: try await download(gauge)
      }
      try await settle(gauge)
    } catch is CancellationError {
      // Whoever stopped it has noted why; the end of the program leaves it as it is.
      if open[id]?.state == .running { open[id]?.state = .waiting }
    } catch is ChannelError {
      // It goes on with the next connection.
      guard open[id]?.state == .running else { return }
      await put(id) { $0.state = .waiting }
    } catch {
      // One that the person holds goes on from where it is when he lets it.
      guard open[id]?.state == .running else { return }
      let told = NatterError(telling: error, key: "error.files.upload")
      log.info("a transfer failed: \(told.key)")
      await put(id) { transfer in
        transfer = gauge.transfer
        transfer.state = .failed(told)
      }
    }
  }

  /// Stored before it is told: who hears of it finds it so.
  private func settle(_ gauge: TransferGauge) async throws {
    var transfer = gauge.transfer
    transfer.state = .done
    try await store.save(transfer)
    open[transfer.id] = nil
    wanted.remove(transfer.id)
    gauge.update { $0.state = .done }
  }

  /// Changes one that is open, keeps that and tells it.
  func put(_ id: FileTransfer.ID, _ change: (inout FileTransfer) -> Void) async {
    guard var transfer = open[id] else { return }
    change(&transfer)
    transfer.rate = 0
    open[id] = transfer
    do {
      try await store.save(transfer)
    } catch {
      // The next change is stored with it; a restart tries again what was to be done.
      log.error("storing a transfer failed: \(error)")
    }
    hub.publish(.transfersChanged([transfer]))
  }

  // MARK: Work

  private func upload(_ gauge: TransferGauge) async throws {
    let id = gauge.transfer.id
    if gauge.transfer.address == nil {
      let file = try SourceFile(gauge.transfer.path)
      let digest = try await uploader.examine(file)
      gauge.update {
        $0.sha256 = digest
        $0.byteCount = file.byteCount
      }
      guard let channel else { throw ChannelError.notConnected }
      guard let service = try await uploadService() else {
        throw NatterError(.refused, "error.files.noService", retry: .never)
      }
      gauge.update { $0.service = service.jid }
      var address = try await uploader.known(digest, byteCount: file.byteCount, at: service.jid)
      if address == nil {
        address = try await uploader.put(
          file, of: gauge.transfer, at: service, over: channel,
          onBegin: { gauge.hold($0) },
          onProgress: { gauge.moved(to: $0) })
      }
      gauge.update { $0.address = address }
      // From here on a restart only sends the message.
      open[id] = gauge.transfer
      try await store.save(gauge.transfer)
    }
    guard let file = gauge.transfer.sharedFile, let originID = gauge.transfer.originID else {
      return
    }
    try await messages.send(file, originID: originID, to: gauge.transfer.conversation)
  }

  private func download(_ gauge: TransferGauge) async throws {
    let transfer = gauge.transfer
    guard let address = transfer.address else { return }
    let target = TargetFile(path: transfer.path, number: transfer.id.rawValue)
    let fetched = try await downloader.fetch(
      address, to: target, expected: transfer.sha256, entityTag: transfer.entityTag,
      sizeLimit: limit(of: transfer),
      onEntityTag: { tag in
        guard gauge.transfer.entityTag != tag else { return }
        gauge.update { $0.entityTag = tag }
        await put(transfer.id) { $0.entityTag = tag }
      },
      onBegin: { gauge.hold($0) },
      onProgress: { gauge.moved(to: $0, of: $1) })
    gauge.update {
      $0.path = fetched.path
      $0.byteCount = fetched.byteCount
      $0.progress = fetched.byteCount
    }
  }

  /// What a sender calls small may be large: what is fetched unasked ends where the person has said.
  ///
  /// Nothing is stored of who asked. So after a restart all that claims to be small counts as unasked, until it is tried again.
  private func limit(of transfer: FileTransfer) -> Int? {
    guard !wanted.contains(transfer.id), let told = transfer.byteCount,
      told <= options.automaticLimit
    else { return nil }
    return options.automaticLimit
  }

  /// Notes that the person has asked for a download.
  func want(_ id: FileTransfer.ID) { wanted.insert(id) }

  /// What takes files; looked for once in a session.
  /// - Returns: `nil` when there is none.
  /// - Throws: `ChannelError`.
  func uploadService() async throws -> XEP0363Service? {
    if let service { return service }
    guard let channel else { throw ChannelError.notConnected }
    let domain = JID(local: nil, domain: account.domain, resource: nil)
    service = try await UploadServices(domain: domain).find(over: channel)
    return service
  }

  // MARK: The person's hand

  func begin(_ transfer: FileTransfer, isWanted: Bool = true) async throws -> FileTransfer {
    let stored = try await store.add(transfer)
    if isWanted { wanted.insert(stored.id) }
    open[stored.id] = stored
    hub.publish(.transfersChanged([stored]))
    wakeUp.yield()
    return stored
  }

  func wake() { wakeUp.yield() }

  /// What is known of a running one, else what is stored.
  func current(_ id: FileTransfer.ID) -> FileTransfer? {
    guard let stored = open[id] else { return nil }
    guard var moving = running[id]?.gauge.transfer else { return stored }
    moving.state = stored.state
    return moving
  }

  func holdUp(_ id: FileTransfer.ID) async {
    guard let transfer = open[id], !transfer.state.isOver, transfer.state != .paused else { return }
    running[id]?.gauge.pause()
    await put(id) { transfer in
      if let moving = running[id]?.gauge.transfer { transfer.progress = moving.progress }
      transfer.state = .paused
    }
  }

  func letGo(_ id: FileTransfer.ID) async {
    guard let transfer = open[id], transfer.state == .paused else { return }
    if let run = running[id] {
      await put(id) { $0.state = .running }
      run.gauge.resume()
    } else {
      await put(id) { $0.state = .waiting }
    }
    wakeUp.yield()
  }

  func drop(_ id: FileTransfer.ID) async {
    guard let transfer = open.removeValue(forKey: id) else { return }
    wanted.remove(id)
    running[id]?.stop.finish()
    do {
      try await store.remove(id)
    } catch {
      log.error("forgetting a transfer failed: \(error)")
    }
    if transfer.direction == .download {
      TargetFile(path: transfer.path, number: id.rawValue).removePart()
    }
    hub.publish(.transfersRemoved([id]))
  }
}
