import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// The list of commands, and their handlers (flows.md, "Data sync" and "Receiving").
///
/// Commands that the server keeps for the account are stored before they are acknowledged, are
/// applied once, and are retried at the next sync after a failure. An unknown command is logged and
/// skipped.
package actor AccountEventInbox: SessionConsuming {
  private let account: JID
  private let store: any CommandStoring
  private let handlers: [AccountEvent.EventKind: [any AccountEventHandling]]
  private let log: Log
  private let now: @Sendable () -> Date
  private let storage: RetryingWrite
  /// The last published content of each node, both as hashes: some servers send everything twice,
  /// and anyone may choose the names.
  private var published: [Int: Int] = [:]
  private static let publishedLimit = 2000
  /// Commands that could not be applied and that the server does not keep.
  private var failed: [AccountEvent] = []
  private var running: Set<AccountEvent.ID> = []

  private static let failedLimit = 200
  /// The bytes of all failed commands: anyone may publish.
  static let failedByteLimit = 2 << 20

  /// - Parameter handlers: several for one kind each get its commands, in this order.
  package init(
    account: JID, store: any CommandStoring, handlers: [any AccountEventHandling], log: Log,
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    storage = RetryingWrite(hub: nil, sleep: sleep) { log.error($0) }
    self.account = account.bare
    self.store = store
    self.log = log
    self.now = now
    var table: [AccountEvent.EventKind: [any AccountEventHandling]] = [:]
    for handler in handlers {
      for kind in handler.kinds { table[kind, default: []].append(handler) }
    }
    self.handlers = table
  }

  package func receive(_ stanzas: [Stanza]) async {
    await enter(stanzas.compactMap { AccountEvent($0, for: account) })
  }

  /// Takes the events from a page of the account's own archive, and has them applied; without the
  /// purges of nodes, which would remove what is known of later items.
  func take(_ results: [XEP0313Result]) async {
    let current = results.filter { XEP0060Event($0.message)?.isEmptied != true }
    await enter(current.compactMap { AccountEvent($0.message, archiveID: $0.id) })
  }

  package func sessionEnded() {
    published = [:]
    // The server sends them again at the next login.
    failed = []
  }

  /// Returns the pending commands: those of earlier sessions, and those that failed.
  package func pending() async throws -> [AccountEvent] {
    try await store.pendingCommands() + failed
  }

  /// Applies one of the pending commands, unless it was replaced since they were listed.
  package func retry(_ command: AccountEvent) async {
    guard command.isKept || failed.contains(where: { $0.id == command.id }) else { return }
    await run(command)
  }

  /// Applies `command`, and removes it from the list if that succeeded or it has no handler.
  func run(_ command: AccountEvent) async {
    guard running.insert(command.id).inserted else { return }
    defer { running.remove(command.id) }
    failed.removeAll { $0.id == command.id }
    if let handlers = handlers[command.kind] {
      do {
        for handler in handlers { try await handler.apply(command) }
      } catch is CancellationError {
        return keep(command)
      } catch {
        log.warning("a command (\(command.kind.rawValue)) could not be applied: \(error)")
        return keep(command)
      }
    } else {
      log.info("an unknown command (\(command.kind.rawValue)) is skipped")
    }
    guard command.isKept else { return }
    do { try await store.settle([command.id]) } catch {
      // It is applied once more, which handlers allow for.
      log.warning("a command could not be taken off the list: \(error)")
    }
  }

  private func enter(_ commands: [AccountEvent]) async {
    guard !commands.isEmpty, var stored = await stored(commands.filter(\.isKept)) else { return }
    for command in commands {
      if command.isKept {
        guard stored.remove(command.id) != nil else { continue }
      } else if let publication = Publication(command) {
        guard isNews(publication) else { continue }
        // An older one must not be applied after it.
        failed.removeAll { Publication($0)?.isReplaced(by: publication) ?? false }
      }
      await run(command)
    }
  }

  /// Stores the commands that are to be kept, with retries of any duration: otherwise they would be
  /// acknowledged without being stored.
  /// - Returns: those that are new; `nil` when the task was cancelled.
  private func stored(_ commands: [AccountEvent]) async -> Set<AccountEvent.ID>? {
    guard !commands.isEmpty else { return [] }
    return await storage.perform("\(commands.count) commands") {
      Set(try await store.add(commands, at: now()).map(\.id))
    }
  }

  private func keep(_ command: AccountEvent) {
    let publication = Publication(command)
    if let publication, let newest = published[publication.key], newest != publication.content {
      // It was replaced while it was applied once more.
      return
    }
    let bytes = failed.reduce(command.stanza.weight) { $0 + $1.stanza.weight }
    guard !command.isKept, failed.count < Self.failedLimit, bytes <= Self.failedByteLimit else {
      // A repetition of it is applied.
      if let publication { published[publication.key] = nil }
      return
    }
    failed.append(command)
  }

  /// Returns `true` if the content differs from the last one published there.
  private func isNews(_ publication: Publication) -> Bool {
    if publication.isEmptied {
      // What was published before is news again if it comes once more.
      published = [:]
      return true
    }
    guard published[publication.key] != publication.content else { return false }
    // A repetition is better than a memory that strangers can fill.
    if published.count >= Self.publishedLimit { published = [:] }
    published[publication.key] = publication.content
    return true
  }
}

/// The content and the item of an event of the kind `published` (XEP-0060 §7.1.2).
private struct Publication {
  private let sender: JID?
  private let node: String
  /// The ids of the items, published or retracted.
  private let items: [String]
  private let event: Element
  /// Indicates whether the node was purged or deleted.
  let isEmptied: Bool

  /// - Returns: `nil` for an event of another kind.
  init?(_ command: AccountEvent) {
    guard command.kind == .published, let event = command.stanza.first("event", XEP0060.events)
    else { return nil }
    let items = event.first("items", XEP0060.events)
    let news = XEP0060Event(MessageStanza(command.stanza))
    sender = command.sender?.bare
    node = news?.node ?? ""
    self.items = items?.elements.compactMap { $0["id"] } ?? []
    self.event = event
    isEmptied = news?.isEmptied ?? false
  }

  /// The hash of where it is published.
  var key: Int { [sender?.description ?? "", node, items.first ?? ""].hashValue }

  /// The hash of the content.
  var content: Int { event.hashValue }

  /// Returns `true` if a newer publication leaves nothing of this one.
  func isReplaced(by newer: Publication) -> Bool {
    guard sender == newer.sender, node == newer.node else { return false }
    // A purge that is older than an item would remove that.
    if newer.isEmptied || isEmptied { return true }
    guard !items.isEmpty else { return false }
    return Set(items).isSubset(of: newer.items)
  }
}
