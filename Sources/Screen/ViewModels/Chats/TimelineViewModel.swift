import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The messages of the conversation that is open, as the content pane shows them.
package final class TimelineViewModel {
  /// The top row of the pane while it is scrolled up.
  package struct Anchor: Hashable {
    package let message: Message.ID
    /// Rows from the message's first one; negative for the lines above it.
    package let line: Int
    package init(message: Message.ID, line: Int) {
      self.message = message
      self.line = line
    }
  }

  package let invalidation = Invalidation()
  package private(set) var conversation: JID? { didSet { invalidation.raise() } }
  /// `nil` sticks to the newest message.
  package internal(set) var anchor: Anchor? { didSet { invalidation.raise() } }
  /// The number of messages that came while it was scrolled up.
  package private(set) var newBelow = 0
  /// Indicates whether the pane has the keys.
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      invalidation.raise()
      // Nothing stays selected when the user writes again.
      if !isFocused { select(nil) }
    }
  }
  /// The message that is chosen while the pane has the keys.
  package internal(set) var selected: Message.ID?
  /// The columns of the chosen message's preformatted lines that are scrolled away to the left.
  var codeOffset = 0
  /// Indicates whether the user can be looking: the terminal has the focus, nothing hides the pane.
  package var isAttended = true {
    didSet {
      readIfSeen()
      reportSeenFailures()
    }
  }
  /// The keys that open the links and files in the list, while they can be chosen.
  package internal(set) var linkHints = LinkHints() {
    didSet { if linkHints != oldValue { invalidation.raise() } }
  }
  /// The messages that have a row on the screen.
  var inSight: Set<Message.ID> = []
  /// The messages on the screen that could not be sent.
  var failuresShown: Set<Message.ID> = []
  /// Called when the user looks at messages that could not be sent.
  package var onFailuresSeen: (JID, Set<Message.ID>) -> Void = { _, _ in }
  /// Indicates whether it is on the screen, wherever the terminal's focus is.
  package var isOnScreen = false
  /// Called when the conversation that is shown has been seen to its end.
  package var onSeen: (JID) -> Void = { _ in }
  /// Called when the part of the status line about this pane has changed.
  package var onScroll: () -> Void = {}
  /// Called when a page that was asked for is in the list, and with `false` when it does not come.
  package var onPage: (Bool) -> Void = { _ in }

  let format: ItemFormat
  let archive: any TimelineReading
  let history: (any HistoryFetching)?
  let lifetime: Lifetime
  let now: () -> Date

  var window = TimelineWindow()
  var people: People
  var newLine: (position: MessagePosition, count: Int)?
  /// Indicates whether the "new" line has been seen: the next unseen message makes another.
  private var isNewLineSeen = false
  /// Indicates whether archives are being read: messages then are from the user's absence.
  var isCatchingUp = false {
    didSet { if isCatchingUp != oldValue { isLineOfMissed = false } }
  }
  /// Indicates whether the "new" line is above the messages of this reading.
  private var isLineOfMissed = false
  private var hasUnread = false
  var today: Date?
  package internal(set) var isLoading = false
  /// A page was read, or could not be.
  package var onLoaded: () -> Void = {}
  var hasLoaded = false
  var hasPaged = false
  /// Indicates whether the archive was asked for older history in this visit, and whether it ended.
  var hasFetched = false
  var isAtBeginning = false
  /// The state of the request for messages older than all that are loaded.
  var olderFetch = OlderFetch.none
  enum OlderFetch { case none, underWay, unanswered }
  /// The room's refusal of missing messages, and of older ones; `nil`: none, as far as is known.
  var refusal: HistoryRefusal?
  var olderRefusal: HistoryRefusal?
  var failure: String?
  /// The gaps in the messages, oldest first.
  var holes: [HistoryHole] = []
  /// Gaps, by their older side, that the server did not fill, or could not be asked for.
  var givenUp: Set<Date> = []
  var postponed: Set<Date> = []
  var isFilling = false
  var isReadingHoles = false
  /// Indicates whether the gaps may have changed since they were asked for.
  var areHolesOutOfDate = false
  /// Announced while a page is being read: newer than what the page says of them.
  var announced: [Message.ID: Message] = [:]
  var visit = 0
  /// The incidents of rooms while the program ran.
  var incidents = TimelineIncidents()
  var transfers = TimelineTransfers()
  var pictures: TimelinePictures
  let decorations: TimelineDecorations
  private var cached: (items: [TimelineItem], senderWidth: Int)?

  package init(
    format: ItemFormat, archive: any TimelineReading, history: (any HistoryFetching)? = nil,
    scripts: ScriptCenter? = nil, pictures: @escaping TimelinePictures.Finding = { _ in nil },
    lifetime: Lifetime, now: @escaping () -> Date = { Date() }
  ) {
    (self.format, people) = (format, People(own: OwnNames(format)))
    self.archive = archive
    self.history = history
    self.pictures = TimelinePictures(find: pictures)
    decorations = TimelineDecorations(scripts)
    self.lifetime = lifetime
    self.now = now
  }

  /// Oldest first.
  package var items: [TimelineItem] {
    if let cached { return cached.items }
    var items: [TimelineItem] = []
    if let notice = topNotice {
      var item = TimelineItem(id: .notice, kind: .notice)
      item.body = notice
      items.append(item)
    }
    items += TimelineItems(
      format: format, people: people, now: now(), pictures: pictures.found, selected: selected
    ).items(
      of: window.messages, incidents: incidents.shown(in: conversation, window, format: format),
      newLine: newLine, holes: holes, refusal: refusal, edges: (window.hasOlder, window.hasNewer),
      today: window.hasNewer ? nil : today)
    if !window.hasNewer {
      items +=
        transfers.items(in: conversation, format: format)
        + TimelineItem.encryptionNotice(below: window.messages, format: format)
    }
    if !window.hasNewer, hasLoaded, let room = conversation.flatMap({ people.room($0) }) {
      items += TimelineIncidents.absence(in: room, format: format)
    }
    decorations.paint(&items, format)
    highlight(&items)
    cached = (items, TimelineItem.senderWidth(of: items))
    return items
  }

  /// The columns the names take: the longest that is shown, within reason.
  package var senderWidth: Int {
    _ = items
    return cached?.senderWidth ?? 6
  }

  /// Indicates whether newer messages than those loaded are in the database.
  package var hasNewer: Bool { window.hasNewer }
  /// Indicates whether older messages, or missing ones, are on their way to the list.
  package var isReadingHistory: Bool { isLoading || isFilling || awaitedHole != nil }

  /// The width of a time, in columns.
  package var timeWidth: Int { format.timeWidth }

  /// The failed messages that are loaded, oldest first.
  package var failedMessages: [Message] {
    window.messages.filter {
      if case .failed = $0.delivery { return true }
      return false
    }
  }

  // MARK: What is shown

  /// Opens `conversation` at its newest message, or nothing.
  package func show(_ conversation: Conversation?) {
    visit += 1
    window = TimelineWindow()
    announced = [:]
    (isLoading, hasLoaded, hasPaged, failure) = (false, false, false, nil)
    (hasFetched, isAtBeginning, isFilling, isReadingHoles) = (false, history == nil, false, false)
    (holes, givenUp, postponed) = ([], [], [])
    (refusal, olderRefusal, olderFetch) = (nil, nil, .none)
    newLine = conversation.flatMap { shown in
      shown.firstUnread.map { ($0, max(1, shown.unread)) }
    }
    (isNewLineSeen, isLineOfMissed) = (false, false)
    (selected, inSight, linkHints, newBelow, anchor) = (nil, [], LinkHints(), 0, nil)
    hasUnread = (conversation?.unread ?? 0) > 0
    self.conversation = conversation?.jid
    refresh()
    loadLatest()
    readIfSeen()
  }

  /// Takes one event; those of other conversations change nothing here.
  package func handle(_ event: DomainEvent) {
    if people.apply(event) || transfers.apply(event, in: conversation) { refresh() }
    pictures.handle(event, among: window.messages)
    switch event {
    case .messagesStored(let stored):
      let mine = stored.filter { $0.conversation == conversation }
      guard !mine.isEmpty else { return }
      note(mine)
      for message in mine { arrived(message) }
      window.merge(mine)
      window.trim(around: anchor?.message)
      refresh()
      // Offline messages may belong before the known ones, with a gap between.
      if mine.contains(where: \.isDelayed) { readHoles() }
    case .historyStored(let stored, _):
      let mine = stored.filter { $0.conversation == conversation }
      note(mine)
      guard window.merge(history: mine, isReading: isLoading) else { return }
      // Another request has brought older messages, for which this view got no answer.
      if window.hasOlder, olderFetch == .unanswered { olderFetch = .none }
      window.trim(around: anchor?.message)
      refresh()
      readHoles()
    case .historyImported(let conversations):
      if conversation.map(conversations.contains) ?? false { TimelineRenewal(timeline: self).run() }
    case .messagesChanged(let changed):
      let mine = changed.filter { $0.conversation == conversation }
      guard !mine.isEmpty else { return }
      note(mine)
      follow(window.change(mine))
      refresh()
    case .messagesRemoved(let jid, let ids):
      guard jid == conversation else { return }
      let before = window.messages
      window.remove(Set(ids))
      holdPosition(among: before)
      refresh()
    case .roomIncident(let incident):
      incidents.append(incident, at: now())
      if incident.room == conversation { refresh() }
    case .archiveChanged:
      postponed = []
      readHoles()
    case .connectionChanged(.online):
      (givenUp, postponed, olderRefusal) = ([], [], nil)
      fillShownHole()
      fetchUnanswered()
    // A new session may answer only now.
    case .catchUpChanged(isRunning: false): fetchUnanswered()
    case .conversationsChanged(let changed):
      guard let mine = changed.first(where: { $0.jid == conversation }) else { return }
      hasUnread = mine.unread > 0
      readIfSeen()
    default: break
    }
  }

  /// A new day has begun: it gets its line, even before its first message.
  package func midnightPassed() {
    today = now()
    refresh()
  }

  /// The user wrote: the "new" line has done its work, and the end is what counts.
  package func personWrote() {
    newLine = nil
    refresh()
    jumpToNewest()
  }

  // MARK: Scrolling

  /// Keeps `anchor` at the top of the pane, or sticks to the end.
  package func scroll(to anchor: Anchor?) {
    guard anchor != nil || !window.hasNewer else { return loadNewer() }
    if anchor != self.anchor { self.anchor = anchor }
    if anchor == nil {
      newBelow = 0
      readIfSeen()
    } else {
      let isFirst = !hasPaged
      hasPaged = true
      refresh()
      // A request of before, when there was no session yet, counts from now on.
      if isFirst { fetchUnanswered() }
    }
    onScroll()
  }

  /// Goes to the next message if the one at the top has gone, or to the end if there is none.
  /// - Parameter before: the messages before it went.
  func holdPosition(among before: [Message]) {
    guard let anchor, window.hasLost(anchor.message, of: before) else { return }
    scroll(to: window.next(to: anchor.message, among: before).map { Anchor(message: $0, line: 0) })
  }

  package func jumpToNewest() {
    if window.hasNewer {
      giveUpReading()
      window = TimelineWindow()
      refresh()
      anchor = nil
      loadLatest()
    }
    scroll(to: nil)
  }

  // MARK: News

  /// Takes another timeline's incidents of rooms; newer ones come after them.
  func take(_ earlier: TimelineIncidents) {
    incidents.put(earlier)
    refresh()
  }

  private func note(_ messages: [Message]) {
    guard isLoading else { return }
    for message in messages { announced[message.id] = message }
  }

  private func arrived(_ message: Message) {
    guard !message.isRetracted else { return }
    guard message.direction == .incoming else {
      newLine = nil
      return
    }
    if anchor != nil {
      newBelow += 1
      onScroll()
    }
    // The user has not seen what was missed, even in the open conversation; live messages are seen.
    let isMissed = isCatchingUp && message.isDelayed
    guard !isBeingRead || isMissed else { return }
    if let line = newLine, !isNewLineSeen || isMissed && isLineOfMissed {
      newLine = (min(line.position, message.position), line.count + 1)
    } else if newLine == nil || !isAttended || isBeingRead {
      // While the user reads further up, no row moves for it.
      newLine = (message.position, 1)
      isNewLineSeen = false
      isLineOfMissed = isMissed
    }
  }

  /// Indicates whether a new message is on the screen at once.
  var showsNews: Bool { isOnScreen && anchor == nil && !hasNewer }

  /// Indicates whether the user looks at its end: a message is seen the moment it is shown.
  var isBeingRead: Bool { isAttended && anchor == nil }

  func readIfSeen() {
    guard isBeingRead, let conversation else { return }
    isNewLineSeen = newLine != nil
    guard hasUnread else { return }
    hasUnread = false
    onSeen(conversation)
  }

  private var topNotice: String? {
    if let failure { return failure }
    guard conversation != nil, hasLoaded, !window.hasOlder else { return nil }
    if let olderRefusal { return format.text(of: olderRefusal, "timeline.refusedOlder") }
    if window.messages.isEmpty { return format.localizer("timeline.empty") }
    guard hasPaged else { return nil }
    switch olderFetch {
    case .underWay: return format.localizer("timeline.olderFetched")
    case .unanswered: return format.localizer("timeline.olderUnanswered")
    case .none: return isAtBeginning ? format.localizer("timeline.beginning") : nil
    }
  }

  func refresh() {
    cached = nil
    invalidation.raise()
  }
}
