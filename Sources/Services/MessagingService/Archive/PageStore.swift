import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Stores pages, and publishes what is new in them.
struct PageStore {
  let ports: ArchivePorts
  let state: ArchiveState
  let owners: ArchiveOwners

  /// Stores a page and its range, and publishes what is new.
  /// - Parameters:
  ///   - isByTime: whether it was requested by time: then its neighbours are unknown.
  ///   - border: without known messages in the page, it comes after what arrived before this time.
  ///   - note: receives the range as it is stored, before another write of the archive's ranges.
  func save(
    _ page: XEP0313Page, _ times: [Date], making range: ArchiveRange,
    absorbing absorbed: [ArchiveRange] = [], as meaning: PageMeaning, following border: Date? = nil,
    beginningWithFirst isStart: Bool = false, isByTime: Bool = false,
    noting note: (ArchiveRange) -> Void = { _ in }
  ) async throws -> ArchiveRange {
    let room = await owners.view(of: range.archive)
    let rooms = await owners.rooms(in: page, of: range.archive)
    let decoder = MessageDecoder(account: ports.account)
    var begun: Set<JID> = []
    let messages = zip(page.results, times).compactMap { result, time in
      var message = decoder.decode(
        result.inLanguages(ports.languages), of: range.archive, in: room, rooms: rooms)
      // A time in the future is another clock's.
      message?.sentAt = min(result.stamp, ports.now())
      message?.placedAt = time
      message?.placement.fillsGap = meaning.isLate
      if let border, let conversation = message?.conversation {
        let isFirst = begun.insert(conversation).inserted
        message?.follows = IncomingMessage.Following(
          before: border, room: isFirst ? ArchiveOrder.gap : ArchiveOrder.step)
      }
      return message
    }
    let areNews = meaning.mayBeNews
    if range.archive == ports.account, areNews {
      // Before the range takes them in: what is not on the list by then is not looked for again.
      await ports.inbox?.take(page.results)
      try Task.checkCancellation()
    }
    let pageMessages = page.results.map(\.message)
    if range.archive == ports.account {
      for follower in ports.followers { await follower.archiving(pageMessages, areNews: areNews) }
      // One that cannot be stored is read again, with its page.
      try await settleReceipts(in: page)
      try Task.checkCancellation()
    }
    let answered = try await answers(to: messages, meaning)
    let (stored, range) = try await state.inbox.run(in: .writing(range.archive)) {
      let stored = try await ports.store.insert(
        messages, making: range, absorbing: absorbed, beginningWithFirst: isStart || border != nil,
        adjoining: isByTime ? .unknown : .beside(later: came(after: page, in: range))
      ) { message in
        meaning.countsUnread(
          at: message.placedAt, answeredAt: answered[message.conversation])
      }
      // Before another task stores it.
      state.session.open[stored.range.archive]?.began(stored.range)
      note(stored.range)
      return stored
    }
    if !stored.changed.isEmpty { ports.hub.publish(.messagesChanged(stored.changed)) }
    for (jid, ids) in stored.absorbed {
      ports.hub.publish(.messagesRemoved(conversation: jid, ids))
    }
    let unread = Set(stored.conversations.filter { $0.unread > 0 }.map(\.jid))
    let sorted = meaning.sorted(stored.messages, unread: unread, belowRead: stored.belowRead)
    if !sorted.past.isEmpty { ports.hub.publish(.historyStored(sorted.past)) }
    if !sorted.missed.isEmpty { ports.hub.publish(.historyStored(sorted.missed, missed: true)) }
    if !sorted.news.isEmpty { ports.hub.publish(.messagesStored(sorted.news)) }
    if !stored.conversations.isEmpty {
      ports.hub.publish(.conversationsChanged(stored.conversations))
    }
    if range.archive == ports.account {
      // Once more, for what came with the page.
      do { try await settleReceipts(in: page) } catch {
        ports.log.error("recording what came with a page failed: \(error)")
      }
      for follower in ports.followers { await follower.archived(pageMessages, areNews: areNews) }
    } else {
      // Nothing in it is for them, but a read position may have waited for what it brought.
      for follower in ports.followers { await follower.archived([], areNews: areNews) }
    }
    return range
  }

  /// The live messages of a room since its archive is read, without those of `page`. Direct
  /// messages are only in the account's archive.
  private func came(after page: XEP0313Page, in range: ArchiveRange) -> Set<String> {
    guard range.archive != ports.account, let reading = state.session.open[range.archive],
      reading.live == nil
    else {
      return []
    }
    return Set(reading.arrived).subtracting(reading.read).subtracting(page.results.map(\.id))
  }

  /// The last message of another client of this account in each conversation, if after the
  /// messages. Local ones were written without having seen them.
  private func answers(to messages: [IncomingMessage], _ meaning: PageMeaning) async throws
    -> [JID: Date]
  {
    if case .past = meaning { return [:] }
    let local = try await ports.store.localIDs(
      among: messages.filter { $0.direction == .outgoing }.compactMap(\.originID))
    var answers: [JID: Date] = [:]
    for (conversation, itsMessages) in Dictionary(grouping: messages, by: \.conversation) {
      let incoming = itsMessages.filter { $0.direction == .incoming }
      guard let first = incoming.map(\.placedAt).min() else { continue }
      let own = itsMessages.filter {
        $0.direction == .outgoing && !$0.isOwnByName && !local.contains($0.originID ?? "")
      }.map(\.placedAt).max()
      let stored = try await ports.store.newestOutgoing(in: conversation, after: first)
      answers[conversation] = [own, stored].compactMap { $0 }.max()
    }
    return answers
  }

  /// Receipts that came while this client was away (XEP-0184).
  private func settleReceipts(in page: XEP0313Page) async throws {
    var changed: [Message] = []
    defer { if !changed.isEmpty { ports.hub.publish(.messagesChanged(changed)) } }
    for result in page.results {
      guard let id = ReceiptPayload.decode(result.message), let peer = result.message.from?.bare,
        peer != ports.account
      else { continue }
      if let message = try await ports.deliveries.setDelivery(
        .delivered, ofOriginID: id, sentTo: peer)
      {
        changed.append(message)
      }
    }
  }
}
