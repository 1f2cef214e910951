import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Keeps calendars of events (XEP-0471): the account's own, those that contacts share, and those
/// that the user follows.
package actor CalendarSync: ChannelHolding, AccountEventHandling, EventPlanning {
  private typealias CalendarRead = OpenReads<EventCalendar.ID, String>.Read

  /// The maximum number of events that are fetched from one calendar.
  static let eventLimit = 200
  /// The most calendars of one contact that are kept without a request.
  private static let calendarLimit = 20

  let account: JID
  let store: any EventStoring
  private let changes: any PendingChangeStoring
  private let roster: any RosterStoring
  let hub: EventHub
  let log: Log
  let identifiers: IdentifierSource
  private let now: @Sendable () -> Date
  package var channel: (any StanzaChannel)?
  /// The events of which a change is being sent.
  var underWay: Set<CalendarEvent.ID> = []
  let followChanges: PendingFollowChanges
  let queue: PendingChangeSender
  var reads = OpenReads<EventCalendar.ID, String>()
  var answerReads = OpenReads<CalendarEvent.ID, JID>()
  /// The changes of the stored state of a calendar, one after the other.
  let inbox = SerialInbox<EventCalendar.ID>()

  package init(
    account: JID, store: any EventStoring, roster: any RosterStoring, hub: EventHub, log: Log,
    changes: any PendingChangeStoring,
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.changes = changes
    self.roster = roster
    self.hub = hub
    self.log = log
    self.identifiers = identifiers
    self.now = now
    followChanges = PendingFollowChanges(
      of: .calendar, account: account, store: changes, hub: hub, news: .eventsChanged, log: log)
    queue = PendingChangeSender("an event", hub: hub) { log.warning("\($0)") }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    await followChanges.reportUnreadable()
    await queue.reportUnreadable([.event, .answer], in: changes)
    await submitChanges()
    await submitFollowChanges()
    await catchUp()
  }
  package func sessionResumed() async {
    await submitChanges()
    await submitFollowChanges()
  }

  /// Returns the stored calendar; `nil` if it is unknown.
  func calendar(_ id: EventCalendar.ID) async throws -> EventCalendar? {
    try await store.calendar(id)
  }

  func event(_ id: CalendarEvent.ID) async throws -> CalendarEvent {
    guard let event = try await store.event(id) else {
      throw NatterError(.refused, "error.discover.noEvent")
    }
    return event
  }

  // MARK: - What arrives by itself

  package nonisolated var kinds: Set<AccountEvent.EventKind> { [.published] }

  /// Stores what is published in a calendar, live and at login: calendars of contacts arrive
  /// without a request (XEP-0163 §4.3).
  package func apply(_ command: AccountEvent) async throws {
    guard let news = XEP0060Event(MessageStanza(command.stanza)) else { return }
    let service = command.sender?.bare ?? account
    if let target = XEP0471Answer.Target(attachmentNode: news.node), target.service == service {
      return try await take(answers: news, to: target)
    }
    guard XEP0471Event.isCalendar(news.node) else { return }
    let id = EventCalendar.ID(service, news.node)
    guard !news.isEmptied else { return try await empty(id) }
    let items = news.items.compactMap { $0["id"] } + news.retracted
    reads.note(items.filter { $0.utf8.count <= CalendarEvent.idLimit }, of: id)
    try await inbox.run(in: id) { try await take(news, to: id) }
  }

  /// Removes the events of a calendar that was purged or deleted, unless they are waiting to be
  /// published. A deleted one stays followed: it may be created again.
  private func empty(_ id: EventCalendar.ID) async throws {
    reads.noteAll(of: id)
    try await inbox.run(in: id) {
      let gone = try await store.events(in: id).filter { $0.change != .put }
      guard !gone.isEmpty else { return }
      try await store.remove(gone.map(\.id))
      hub.publish(.eventsChanged)
    }
  }

  private func take(_ news: XEP0060Event, to id: EventCalendar.ID) async throws {
    let service = id.service
    if let known = try await calendar(id) {
      guard known.isFollowed else { return }
    } else {
      guard try await isWelcome(service), try await hasRoom(for: service) else { return }
      try await store.save(EventCalendar(id: id))
    }
    var isOther = try await store.add(news.items.compactMap { CalendarEvent($0, in: id) })
    let gone = news.retracted.map { CalendarEvent.ID(calendar: id, item: $0) }
    if !gone.isEmpty {
      try await store.remove(gone)
      isOther = true
    }
    if isOther { hub.publish(.eventsChanged) }
  }

  /// Returns whether a calendar that arrives without a request is accepted: only the own one and
  /// those of contacts who share their presence.
  private func isWelcome(_ service: JID) async throws -> Bool {
    if service == account { return true }
    guard let contact = try await roster.contact(service) else { return false }
    return [.to, .both].contains(contact.subscription)
  }

  /// Returns whether another calendar that nobody requested is accepted of a contact, who can
  /// publish in as many nodes as they want. Those that were left count: they stay stored.
  private func hasRoom(for service: JID) async throws -> Bool {
    if service == account { return true }
    let count = try await store.calendars().count { $0.id.service == service }
    if count == Self.calendarLimit {
      log.info("a contact publishes in more than \(count) calendars: the others are ignored")
    }
    return count < Self.calendarLimit
  }

  // MARK: - Reading

  /// Returns the stored calendars and events, with the pending follow requests.
  package func listing() async throws -> EventListing {
    var listing = try await store.listing()
    listing.waiting = try await followChanges.all().filter(\.follows).map {
      EventCalendar.ID($0.service, $0.node)
    }
    return listing
  }

  /// Reads the followed calendars, and the own one if it is unknown.
  /// - Throws: `NatterError`, also without a connection.
  package func refresh() async throws {
    let channel = try openChannel()
    let personal = EventCalendar.ID(account)
    do {
      let known = try await store.calendars()
      var wanted = known.filter(\.isFollowed).map(\.id)
      if !known.contains(where: { $0.id == personal }) {
        try await store.save(EventCalendar(id: personal))
        wanted.append(personal)
      }
      try await read(wanted, over: channel)
    } catch {
      throw NatterError(answering: error)
    }
  }

  /// Reads the changes of the time when this client was offline: the server sends only the last of
  /// several by itself.
  private func catchUp() async {
    guard let channel else { return }
    do {
      let known = try await store.calendars().filter(\.isFollowed).map(\.id)
      if !known.isEmpty { try await read(known, over: channel) }
    } catch {
      // The stored events stay on the screen, with their age.
      log.info("the calendars could not be read: \(error)")
    }
  }

  private func read(_ ids: [EventCalendar.ID], over channel: any StanzaChannel) async throws {
    for id in ids { try await read(id, over: channel) }
    hub.publish(.eventsChanged)
  }

  private func read(_ id: EventCalendar.ID, over channel: any StanzaChannel) async throws {
    let read = reads.begin(id)
    defer { reads.end(read) }
    do {
      let (events, isWhole) = try await items(of: id, over: channel)
      try await renew(events, isWhole: isWhole, by: read)
    } catch let error as StanzaError {
      // A calendar that is gone, or was never created, does not hide the others from the user.
      log.info("a calendar cannot be read: \(error.condition.rawValue)")
      if error.condition == .itemNotFound, !error.mayPass {
        try await renew([], isWhole: true, by: read)
      }
    }
  }

  /// Stores the current content of a calendar, unless the user has left it meanwhile.
  private func renew(_ events: [CalendarEvent], isWhole: Bool, by read: CalendarRead) async throws {
    try await inbox.run(in: read.node) {
      guard try await calendar(read.node)?.isFollowed == true else { return }
      try await keep(events, isWhole: isWhole, by: read)
    }
  }

  /// Returns the newest events, and whether the calendar has no others. Ignored items count, too: a
  /// full page may not have all.
  private func items(of id: EventCalendar.ID, over channel: any StanzaChannel) async throws
    -> (events: [CalendarEvent], isWhole: Bool)
  {
    let answer = try await channel.request(
      XEP0060.newestItems(Self.eventLimit, of: id.node, at: id.service))
    let items = XEP0060.items(in: answer)
    return (
      items.prefix(Self.eventLimit).compactMap { CalendarEvent($0, in: id) },
      items.count < Self.eventLimit
    )
  }

  /// Stores the current content of a calendar. Events that are missing from a whole one are
  /// removed, unless they are waiting to be published. It is called from the inbox.
  private func keep(_ events: [CalendarEvent], isWhole: Bool, by read: CalendarRead) async throws {
    let id = read.node
    // What is noted from now on is stored after this.
    let changes = reads.changes(during: read)
    try await store.save(EventCalendar(id: id, readAt: changes == .countless ? nil : now()))
    if isWhole {
      let there = Set(events.map(\.id))
      let missing = try await store.events(in: id).filter {
        !there.contains($0.id) && $0.change != .put && changes.accept($0.id.item)
      }
      try await store.remove(missing.map(\.id))
    }
    _ = try await store.add(events.filter { changes.accept($0.id.item) })
  }

  /// Follows a calendar.
  /// - Returns: `false` if the request is pending.
  /// - Throws: `NatterError` if there is no such calendar.
  @discardableResult
  package func follow(_ id: EventCalendar.ID) async throws -> Bool {
    try await followChanges.follow(id.service, id.node, over: channel) {
      try await begin(id, over: $0)
    } forget: {
      try await forget(id)
    } != nil
  }

  private func begin(_ id: EventCalendar.ID, over channel: any StanzaChannel) async throws {
    // First, so that nothing that changes after the answer to the read is missed.
    let isSubscribed = try await followChanges.subscribe(to: id.service, id.node, over: channel)
    let wasKnown = try await calendar(id)?.isFollowed == true
    let read = reads.begin(id)
    defer { reads.end(read) }
    do {
      let found = try await followChanges.firstItems(
        of: id.service, id.node, isSubscribed: isSubscribed, isNew: !wasKnown, over: channel
      ) { try await items(of: id, over: channel) }
      try await inbox.run(in: id) {
        try await keep(found?.events ?? [], isWhole: found?.isWhole ?? false, by: read)
      }
    } catch let error as StanzaError where error.condition == .itemNotFound {
      throw NatterError(
        .refused, "error.discover.noCalendar", ["address": id.service.description])
    }
    // Notifications of a calendar that was unknown were not stored.
    if !wasKnown, reads.changes(during: read) != .some([]) {
      try await self.read(id, over: channel)
    }
  }

  /// Sends the follow and unfollow requests that were made offline.
  private func submitFollowChanges() async {
    await followChanges.submit(over: channel) {
      try await begin(EventCalendar.ID($0.service, $0.node), over: $1)
    } forget: {
      try await forget(EventCalendar.ID($0.service, $0.node))
    }
  }

  /// Unfollows a calendar and removes its events.
  package func leave(_ id: EventCalendar.ID) async throws {
    try await followChanges.leave(id.service, id.node, over: channel) { try await forget(id) }
  }

  private func forget(_ id: EventCalendar.ID) async throws {
    try await inbox.run(in: id) {
      guard try await calendar(id)?.isFollowed == true else { return }
      // The calendar stays stored as unfollowed: the next item that a contact publishes would bring
      // it back otherwise.
      try await store.save(EventCalendar(id: id, isFollowed: false))
      try await store.remove(try await store.events(in: id).map(\.id))
    }
  }
}
