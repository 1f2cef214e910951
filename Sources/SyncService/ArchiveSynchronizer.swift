import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Brings the database up to what the account's archive holds (XEP-0313; FLOWS.md 3 and 5).
///
/// After each login it reads on from the last message that is known; the first time it takes the newest page. Older
/// history comes when somebody scrolls to it. Pages are stored together with the range that they make complete, so that
/// an end at any moment leaves a database that knows what it lacks.
package actor ArchiveSynchronizer: SessionConsuming {
  let account: JID
  let store: any ArchiveStoring
  let copies: CarbonCopies
  let hub: EventHub
  let log: Log
  let now: @Sendable () -> Date
  private let deliveries: any OutboxStoring
  private let followers: [any ArchiveFollowing]

  var channel: (any StanzaChannel)?
  /// `nil`: not known yet.
  var hasArchive: Bool?
  /// The newest range of everything, once catch-up is done: live messages move its end.
  private var live: ArchiveRange?
  /// How many live messages moved its end since it was stored.
  private var unstored = 0
  /// Conversations whose past is being fetched.
  var fetching: Set<JID> = []

  static let pageSize = 100
  /// Losing the end's place costs no more than reading this many messages again.
  static let unstoredLimit = 50
  /// What the server's clock and this machine's may be apart.
  static let clockTolerance: TimeInterval = 600

  /// - Parameter followers: are told of each page when it is stored.
  package init(
    account: JID, store: any ArchiveStoring, deliveries: any OutboxStoring, copies: CarbonCopies,
    hub: EventHub, log: Log, followers: [any ArchiveFollowing] = [],
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.deliveries = deliveries
    self.copies = copies
    self.followers = followers
    self.hub = hub
    self.log = log
    self.now = now
  }

  // MARK: - The session

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    hasArchive = nil
    live = nil
    do {
      let range = try await caughtUp(over: channel)
      hasArchive = true
      // Without copies, what other clients do is in the archive only: the range ends where it was read to.
      if await copies.isOn { live = range }
    } catch is StanzaError {
      hasArchive = false
      log.info("the server keeps no archive that can be read")
    } catch {
      // What is known is stored; the next session goes on from there.
      log.warning("reading the archive ended early: \(error)")
    }
  }

  package func receive(_ stanzas: [Stanza]) async {
    guard live != nil else { return }
    for case .message(let wrapper) in stanzas {
      let stanza = XEP0280Carbon(wrapper, of: account)?.message ?? wrapper
      guard let id = stanza.stanzaID(by: account) else { continue }
      live?.end = ArchivePlace(id: id, at: min(stanza.delay ?? now(), now()))
      unstored += 1
    }
    if unstored >= Self.unstoredLimit { await storeEnd() }
  }

  package func sessionEnded() async {
    channel = nil
    await storeEnd()
    live = nil
  }

  private func storeEnd() async {
    guard unstored > 0, let range = live else { return }
    unstored = 0
    do { _ = try await store.insert([], making: range) { _ in false } } catch {
      // Then these messages are read once more, and known.
      log.warning("the archive's place could not be stored: \(error)")
    }
  }

  // MARK: - Catching up

  /// Reads what came since the last known message.
  /// - Returns: the range that now ends with the archive's newest message.
  private func caughtUp(over channel: any StanzaChannel) async throws -> ArchiveRange {
    guard let known = try await store.ranges(of: account, with: nil).last else {
      // What the server kept for this login comes before the answer to a ping, and is news; the archive's page is not.
      let ping = Element(
        "iq", Namespace.client, ["type": "get", "to": account.domain],
        [Element("ping", Namespace.ping)])
      // A server that refuses to be pinged answers all the same.
      _ = try? await channel.request(ping)
      return try await newest(over: channel)
    }
    var walk = ArchiveWalk(from: known.end)
    var range = known
    while true {
      let page: XEP0313Page
      do {
        page = try await channel.archivePage(walk.query(limit: Self.pageSize), of: account)
      } catch let error as StanzaError where error.condition == .itemNotFound {
        guard walk.restartFromTime(tolerance: Self.clockTolerance) else {
          return try await newest(over: channel)
        }
        continue
      }
      switch walk.take(page, tolerance: Self.clockTolerance) {
      case .restart: continue
      case .lost:
        // What lies between is a hole: it is known as one, for there are two ranges now.
        log.warning("the archive does not go on from the last known message")
        return try await newest(over: channel)
      case .next, .last:
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), after: walk.isByTime ? nil : range.end.at, now: now())
        if let id = page.newest {
          range.end = ArchivePlace(id: id, at: times.last ?? range.end.at)
          range = try await save(page, times, making: range, newsSince: known.end.at)
        }
        if walk.isDone { return range }
      }
    }
  }

  /// Reads the newest page and makes a range of it.
  private func newest(over channel: any StanzaChannel) async throws -> ArchiveRange {
    let page = try await channel.archivePage(
      XEP0313Query(.last, limit: Self.pageSize), of: account)
    let times = ArchiveOrder.times(of: page.results.map(\.stamp), after: nil, now: now())
    guard let oldest = page.oldest, let newest = page.newest else {
      // Nothing there: everything that comes will be new.
      let place = ArchivePlace(id: "", at: now())
      let range = ArchiveRange(
        archive: account, start: place, end: place, reachesBeginning: true)
      return try await store.insert([], making: range) { _ in false }.range
    }
    let range = ArchiveRange(
      archive: account, start: ArchivePlace(id: oldest, at: times.first ?? now()),
      end: ArchivePlace(id: newest, at: times.last ?? now()), reachesBeginning: page.isComplete)
    return try await save(page, times, making: range, newsSince: nil)
  }

  /// Stores a page and its range, and tells what is new.
  /// - Parameter newsSince: what was sent later came since this program last looked; `nil`: nothing did.
  func save(_ page: XEP0313Page, _ times: [Date], making range: ArchiveRange, newsSince: Date?)
    async throws -> ArchiveRange
  {
    let messages = zip(page.results, times).compactMap { result, time in
      var message = IncomingMessage(result, archivedBy: account)
      message?.sentAt = time
      return message
    }
    let (stored, range) = try await store.insert(messages, making: range) {
      if let newsSince { $0.sentAt > newsSince } else { false }
    }
    if !stored.changed.isEmpty { hub.publish(.messagesChanged(stored.changed)) }
    // Read elsewhere already: no news.
    let unread = Set(stored.conversations.filter { newsSince != nil && $0.unread > 0 }.map(\.jid))
    let news = stored.messages.filter { unread.contains($0.conversation) }
    let history = stored.messages.filter { !unread.contains($0.conversation) }
    if !history.isEmpty { hub.publish(.historyStored(history)) }
    if !news.isEmpty { hub.publish(.messagesStored(news)) }
    if !stored.conversations.isEmpty { hub.publish(.conversationsChanged(stored.conversations)) }
    await settleReceipts(in: page)
    let pageMessages = page.results.map(\.message)
    for follower in followers { await follower.archived(pageMessages, areNews: newsSince != nil) }
    return range
  }

  /// Receipts that came while this client was away (XEP-0184).
  private func settleReceipts(in page: XEP0313Page) async {
    var changed: [Message] = []
    for result in page.results {
      guard let id = result.message.receiptID, let peer = result.message.from?.bare,
        peer != account
      else { continue }
      do {
        if let message = try await deliveries.setDelivery(.delivered, ofOriginID: id, sentTo: peer)
        {
          changed.append(message)
        }
      } catch {
        log.error("recording a receipt failed: \(error)")
      }
    }
    if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
  }
}
