import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The receiver of `<message/>` stanzas: stores messages and publishes the new ones
/// (flows.md, "Receiving").
///
/// All stanzas of one read of the connection are decoded, stored in one transaction and published
/// as one event. The connection's owner awaits `receive`, so a message is acknowledged to the
/// server only once it is committed.
package actor MessageReceiver: SessionConsuming {
  private let account: JID
  private let store: any MessageStoring
  private let rooms: (any RoomViewing)?
  private let hub: EventHub
  private let languages: [String]
  private let now: @Sendable () -> Date
  private let log: Log
  private let storage: RetryingWrite
  /// The time of the connection: messages that the server could not deliver before go after those
  /// that it delivered until then.
  private var connected = Date.distantPast
  /// The rooms that the user was in after the last batch.
  private var earlier: [JID: RoomMembership] = [:]
  /// The messages that the database had at the time of the connection.
  private var arrived: IncomingMessage.Arrived?
  /// The senders of delayed messages in this session, and the last stored message of each
  /// conversation.
  private var waited: Set<JID> = []
  private var last: [JID: Message.ID] = [:]
  private var arrivals = MonotonicArrivalClock()
  private var delays = DelayTrust()

  /// Seconds between messages of one session, and between two sessions, of which the first may have
  /// ended too soon: enough for thousands (`ArchiveOrder` puts a microsecond between archived
  /// messages, and leaves the same gap).
  private static let (step, gap) = (0.000_01, 0.02)
  /// - Parameters:
  ///   - account: the bare JID of the user's account.
  ///   - store: where messages are stored.
  ///   - rooms: distinguishes rooms from contacts; `nil`: there are no rooms.
  ///   - hub: where new messages are published.
  ///   - languages: the user's languages, the preferred language first.
  ///   - now: the clock, for stanzas without a delay element (XEP-0203 §3).
  package init(
    account: JID, store: any MessageStoring, rooms: (any RoomViewing)? = nil,
    hub: EventHub, log: Log, languages: [String] = [],
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    storage = RetryingWrite(hub: hub, sleep: sleep) { log.error($0) }
    self.log = log
    self.account = account.bare
    self.store = store
    self.rooms = rooms
    self.hub = hub
    self.languages = languages
    self.now = now
  }

  // It has to be `async`: otherwise a caller would get the protocol's default, which does nothing.
  package func connectionOpened() async {
    // After all that came over the previous connection.
    let now = now()
    connected = arrivals.next(1, now: now).last ?? now
    (waited, last) = ([], [:])
    do { arrived = try await store.arrived(of: account) } catch {
      // The time alone decides what had arrived.
      arrived = nil
      log.error("looking for what has arrived failed: \(error)")
    }
  }

  package func receive(_ stanzas: [Stanza]) async {
    let times = arrivals.next(stanzas.count, now: now())
    let current = await rooms?.views() ?? [:]
    // Messages sent before a visit ended in this very batch were for the user.
    let views = current.merging(earlier) { now, _ in now }
    earlier = current
    let time = now()
    delays.observe(current, at: time)
    let declining = await declining(stanzas)
    let others = await rooms(whisperedIn: stanzas, besides: views)
    let decoder = MessageDecoder(account: account)
    let messages = zip(stanzas, times).compactMap { stanza, arrival -> IncomingMessage? in
      guard case .message(let sent) = stanza,
        XEP0045Decline(sent).map({ declining.contains($0.room) }) != true
      else { return nil }
      let message = sent.inLanguages(languages).believingDelays(
        since: delays.earliest(from: sent.from, connected: connected, at: time))
      var incoming = decoder.decode(message, in: views, besides: others, receivedAt: arrival)
      if message.waited(atServerOf: account), let conversation = incoming?.conversation {
        let isFirst = waited.insert(conversation).inserted
        incoming?.follows = IncomingMessage.Following(
          before: connected, room: isFirst ? Self.gap : Self.step, arrived: arrived,
          last: last[conversation] ?? last[conversation.bare])
      }
      return incoming
    }
    guard !messages.isEmpty else { return }
    let written = await storage.perform("\(messages.count) messages") {
      try await store.insert(messages) { message in
        // The history that a room sends on the first visit is not new.
        message.direction == .incoming
          && !(message.isDelayed && views[message.conversation]?.hasPast == false)
      }
    }
    guard let stored = written else { return }
    for message in stored.messages
    where message.direction == .incoming && message.position.time < connected {
      last[message.conversation] = message.id
    }
    if !stored.changed.isEmpty { hub.publish(.messagesChanged(stored.changed)) }
    for (jid, ids) in stored.absorbed { hub.publish(.messagesRemoved(conversation: jid, ids)) }
    if !stored.messages.isEmpty { hub.publish(.messagesStored(stored.messages)) }
    if !stored.conversations.isEmpty { hub.publish(.conversationsChanged(stored.conversations)) }
  }

  /// Returns the rooms that the user is outside of and from which an occupant writes to them, or to
  /// an occupant of which another client of the account writes.
  private func rooms(whisperedIn stanzas: [Stanza], besides views: [JID: RoomMembership]) async
    -> Set<JID>
  {
    var (others, ofCopies): ([JID], [JID]) = ([], [])
    for case .message(let message) in stanzas where message.kind != .groupchat {
      let carbon = XEP0280Carbon(message, of: account)
      let other =
        carbon?.direction == .sent ? carbon?.message.to : (carbon?.message ?? message).from
      guard let other, views[other.bare] == nil else { continue }
      // A copy that has a room's mark needs no look-up that may wait.
      if let carbon, !carbon.message.isFromRoom {
        ofCopies.append(other)
      } else {
        others.append(other)
      }
    }
    let found = await rooms?.rooms(of: others) ?? []
    guard !ofCopies.isEmpty else { return found }
    return found.union(await rooms?.bookmarked.rooms(of: ofCopies) ?? [])
  }

  /// Returns the rooms that report a declined invitation: some send a text as well, which is shown
  /// as a room incident instead.
  private func declining(_ stanzas: [Stanza]) async -> Set<JID> {
    var found: Set<JID> = []
    for case .message(let message) in stanzas {
      guard let room = XEP0045Decline(message)?.room else { continue }
      if await rooms?.knows(room) == true { found.insert(room) }
    }
    return found
  }
}
