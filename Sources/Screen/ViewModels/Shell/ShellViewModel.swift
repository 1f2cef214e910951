import FoundationEssentials
import NatterCore
import XMPP

/// The chats as a whole: the open conversation, and what commands and events change in view models.
///
/// It is the half of the shell that knows nothing of terminals; `AppCoordinator` is the other.
package final class ShellViewModel {
  /// The messages for which the terminal's bell rings.
  nonisolated package enum BellRule: String, Sendable, CaseIterable {
    case never, mention, direct, all
  }

  package let sidebar: SidebarViewModel
  package let arrangements = ArrangementKeeper()
  package let members: MembersViewModel
  /// One conversation view, or two when the screen is split.
  package internal(set) var slots: [ConversationViewModel]
  /// The conversation view that has the focus.
  package internal(set) var current: ConversationViewModel
  /// The arrangement of two conversation views; `nil` without a split.
  package internal(set) var split: ConversationSplit?
  package let status: StatusViewModel
  package let tabBar: TabBarViewModel
  package let accounts: AccountListViewModel
  package let hintBar = HintBarViewModel()
  package let commands: CommandTable
  package let format: ItemFormat
  package let actions: ShellActions

  /// Called when the user opened a conversation or began an input line: the input is to be shown
  /// and focused.
  package var onOpen: () -> Void = {}
  /// Called when the user goes to a conversation, in any way.
  package var onDemand: () -> Void = {}
  /// Reports that the input has to wait for a conversation that is being opened.
  package let openings: PendingOpens
  /// Called once what was in the database is on the screen, and typing goes where it belongs.
  package var onLoaded: () -> Void = {}
  /// Called when `accountState` has changed.
  package var onAccountState: () -> Void = {}
  /// Called when `title` has changed.
  package var onTitle: () -> Void = {}
  /// Called when the screen is to be split, or no longer.
  package var onSplit: (ConversationSplit?) -> Void = { _ in }
  /// Called when the list of the people in a room is to be shown or hidden.
  package var onToggleDetails: () -> Void = {}
  /// Returns whether notifications are silenced at this hour.
  package var isQuiet: () -> Bool = { false }
  /// Called for a message that needs a notification outside the program.
  package var onNotify: (DesktopNotification) -> Void = { _ in }
  /// The conversation to open first; `nil`: the last one of the previous run, or the newest.
  package var firstShown: JID?
  /// The split of the screen to begin with; `nil`: as it was at the end of the last run.
  package var firstSplit: SavedSplit?
  /// The split and the conversation that are kept for the next start; `nil` until those of the last
  /// run are shown.
  var kept: (split: String?, shown: JID?)?
  /// Called with a text that is copied: for what is put in again in the input.
  package var onCopy: (String) -> Void = { _ in }
  /// Called when the bell should ring.
  package var onBell: () -> Void = {}

  let ports: Ports
  let lifetime: Lifetime
  let scheduler: Scheduler
  let now: () -> Date
  /// Creates another conversation view that shares what this one has loaded.
  let makeSlot: (ConversationViewModel?) -> ConversationViewModel
  let typingPeople: TypingPeople
  /// The newest message of each conversation that arrived while the archive is read; `nil` at other
  /// times. Messages that another client has read by its end do not notify.
  var heldBells: NewestMessages?
  /// The last message of each conversation in the last seconds that was a candidate to notify.
  var reportedLately = NewestMessages()
  /// The number of archives that are being read: the account's and those of rooms.
  var catchUps = 0
  /// Indicates whether the status line announces new messages, too.
  package var announces = false
  /// Indicates whether nothing on the screen moves by itself.
  package var isCalm: Bool {
    get { status.isCalm }
    set { status.isCalm = newValue }
  }
  /// For what the bell rings.
  package var bell: BellRule
  private(set) var connection = ConnectionSummary(.offline)
  var people: People
  let directory: ContactIndexBuilder
  var joins = RoomJoinTracker()
  /// The shell that replaced this one. Work that began here and ends later goes to it.
  weak var successor: ShellViewModel?
  /// Files that are to be opened when they are here.
  var opening: Set<FileTransfer.ID> = []
  var requests = ArchiveRequests()
  /// The folder that files were last chosen from.
  var lastFolder: String?
  /// Files that move or will by themselves.
  var moving: Set<FileTransfer.ID> = []
  var last: JID?
  /// Indicates whether a conversation was ever open.
  private var hasShown = false
  /// The first conversation there was, while it waits for the input to be empty.
  private var waitingFirst: JID?
  var (lastBell, lastInterrupt) = (Date.distantPast, Date.distantPast)
  var cancelInterrupt: (() -> Void)?
  /// Takes back what was done last to the list of conversations; `nil`: there is nothing.
  var undoLastChange: (() -> Void)?
  private var today: Int
  var (shownTitle, shownUnread) = ("", 0)
  private var followers: [(DomainEvent) -> Void] = []
  /// Follows a feed no longer; does nothing where there are none.
  var unfollowFeed: (Feed.ID) -> Void = { _ in }
  /// The emoji that were picked last.
  let pickedEmoji = RecentChoices()
  var preferenceReaders: [([String: String]) -> Void] = []

  /// - Parameter showsClock: whether the time of day is shown.
  package init(
    ports: Ports, format: ItemFormat, scheduler: Scheduler, actions: ShellActions,
    commands: CommandTable = CommandTable(), bell: BellRule = .mention, showsClock: Bool = true,
    memory: ComposerState = ComposerState(), now: @escaping () -> Date = { Date() }
  ) {
    self.ports = ports
    self.format = format
    self.scheduler = scheduler
    self.actions = actions
    let commands = commands.speaking(format.localizer, scripts: ports.scripts)
    self.commands = commands
    (self.bell, self.now) = (bell, now)
    people = People(own: OwnNames(format))
    lifetime = Lifetime()
    directory = ContactIndexBuilder(format: format, scheduler: scheduler, lifetime: lifetime)
    openings = PendingOpens(scheduler: scheduler)
    today = format.dayNumber(now())
    sidebar = SidebarViewModel(format: format, notifications: actions.notifications)
    members = MembersViewModel(format: format)
    status = StatusViewModel(format: format, scheduler: scheduler, now: now)
    typingPeople = TypingPeople(scheduler: scheduler)
    tabBar = TabBarViewModel(format: format, showsClock: showsClock, now: now)
    accounts = AccountListViewModel(format: format)
    weak var shell: ShellViewModel?
    let lifetime = lifetime
    makeSlot = { like in
      let header = HeaderViewModel(format: format, notifications: actions.notifications)
      let timeline = TimelineViewModel(
        format: format, archive: ports.timeline, history: ports.history, scripts: ports.scripts,
        pictures: { await ports.files?.glimpse(of: $0) }, lifetime: lifetime, now: now)
      if let like {
        header.learn(from: like.header)
        timeline.learn(from: like.timeline)
      }
      let source = CompletionSource(
        table: commands, localizer: format.localizer,
        candidates: { shell?.candidates(for: $0) ?? [] },
        paths: { shell?.pathCandidates($0) ?? [] })
      return ConversationViewModel(
        header: header, timeline: timeline,
        input: InputViewModel(
          localizer: format.localizer, conversations: ports.conversations,
          histories: ports.histories, scheduler: scheduler, lifetime: lifetime, table: commands,
          source: source, memory: memory),
        typing: TypingReporter(
          reporting: ports.activity, scheduler: scheduler, lifetime: lifetime))
    }
    current = makeSlot(nil)
    slots = [current]
    shell = self
    keepSidebar()
    typingPeople.onChange = { [weak self] in
      if $0 == self?.sidebar.active { self?.showTyping() }
    }
    connect(current)
    rememberEmoji()
  }

  // MARK: News

  /// Loads what is there; news that come meanwhile are for when that is done.
  package func open() async {
    await load()
    onLoaded()
  }

  /// Fills the screen from the database and memory, and opens the most recent conversation.
  package func load() async {
    do {
      let conversations = try await ports.conversations.conversations()
      let hidden = try await ports.conversations.hiddenConversations()
      let contacts = try await ports.roster.contacts()
      let presence = await ports.presence.presence()
      let requests = await ports.presence.subscriptionRequests()
      let preferences = try await ports.preferences?.values() ?? [:]
      (lastFolder, sidebar.held) = (preferences[PreferenceKey.folder], inputMemory.numbers)
      sidebar.feedNumbers = inputMemory.feedNumbers
      sidebar.load(
        conversations: conversations, hidden: hidden, contacts: contacts, presence: presence,
        requests: requests,
        arrangement: SidebarArrangement(text: preferences[PreferenceKey.order] ?? ""))
      for read in preferenceReaders { read(preferences) }
      // They have names as well.
      _ = people.apply(.conversationsChanged(hidden))
      let rooms = await ports.rooms?.reading.rooms() ?? []
      for event: DomainEvent in [
        .contactsChanged(contacts), .presenceChanged(presence),
        .conversationsChanged(conversations), .roomsChanged(rooms),
        .notifyKeywordsChanged(NotifyKeywords(text: preferences[NotifyKeywords.key])),
      ] {
        learn(from: event)
        sidebar.handle(event)
        for slot in slots { slot.handle(event) }
        members.handle(event)
      }
      for room in rooms where room.phase == .outside {
        // An earlier run reported it.
        if let exit = room.exit { joins.refused(room.jid, exit) }
      }
      for room in rooms where room.phase == .inside {
        members.load(await ports.rooms?.reading.occupants(of: room.jid) ?? [], of: room.jid)
      }
      for invitation in await ports.rooms?.inviting.invitations() ?? [] {
        sidebar.handle(.roomInvitation(invitation))
      }
      for request in await ports.rooms?.voices.voiceRequests() ?? [] {
        sidebar.handle(.voiceRequested(request))
      }
      if let files = ports.files {
        let transfers = await files.sharing.transfers(in: nil)
        for slot in slots { slot.handle(.transfersChanged(transfers)) }
        note(transfers)
      }
      let newest = conversations.max {
        ($0.lastActivity ?? .distantPast) < ($1.lastActivity ?? .distantPast)
      }
      let split = preferences[PreferenceKey.split]
      let halves = firstSplit ?? (firstShown == nil ? split.flatMap { SavedSplit($0) } : nil)
      let shown = preferences[PreferenceKey.shown].flatMap { JID(parsing: $0) }
      let wanted = halves?.conversations.first ?? firstShown ?? (halves == nil ? shown : nil)
      let first = wanted.flatMap { sidebar.conversation($0) } ?? newest
      if sidebar.active == nil, let first { show(first) }
      if let halves { restore(halves) }
      kept = (split, shown)
      rememberSlots()
    } catch {
      report(error)
    }
    readFailures()
    handle(.connectionChanged(await ports.connection.state()))
  }

  package func handle(_ event: DomainEvent) {
    if case .connectionChanged(let state) = event {
      connection.follow(state)
      onAccountState()
    }
    if case .roomsChanged(let rooms) = event { rooms.forEach(reportIfOut) }
    learn(from: event)
    sidebar.handle(event)
    for slot in slots { slot.handle(event) }
    members.handle(event)
    status.handle(event)
    tabBar.handle(event)
    typingPeople.handle(event)
    OutsideDrafts.take(from: event, in: self)
    switch event {
    case .messagesStored(let messages): reportNews(messages)
    case .transfersChanged(let changed): transfersChanged(changed)
    case .transfersRemoved(let ids): moving.subtract(ids)
    case .catchUpChanged(let isRunning): holdBells(isRunning)
    case .conversationsChanged(let changed): openFirst(of: changed)
    case .conversationsRemoved(let removed):
      if let active = sidebar.active, removed.contains(active) { show(nil) }
      if let other = otherSlot, let jid = other.conversation, removed.contains(jid) {
        other.show(nil)
      }
    case .roomsChanged(let rooms):
      for room in rooms where room.asksForPassword { askPassword(for: room) }
    case .roomInvitation(let invitation):
      show(invitation.notice(people))
    case .voiceRequested(let request):
      show(
        StatusNotice(
          .info, "status.voiceRequest",
          ["name": request.asker, "room": people.name(of: request.room)]))
    case .roomIncident(let incident): reportIfLeft(incident)
    case .subscriptionRequested(let jid):
      show(StatusNotice(.info, "status.requested", ["name": people.name(of: jid)]))
    default: break
    }
    if sidebar.failures.isOutOfDate(after: event) { readFailures() }
    if mayChangeOwnPresence(event) { readOwnPresence() }
    for follow in followers { follow(event) }
    counted()
  }

  /// Has `handle` called with all news, after the chats have them: for the other sub-apps.
  package func follow(_ handle: @escaping (DomainEvent) -> Void) { followers.append(handle) }

  /// The clock shows another minute; at midnight the day changes.
  package func minutePassed() {
    tabBar.minutePassed()
    let day = format.dayNumber(now())
    guard day != today else { return }
    today = day
    for slot in slots { slot.timeline.midnightPassed() }
  }

  // MARK: Conversations

  package func openConversation(number: Int) {
    if let feed = sidebar.feed(number: number) { return openFeed(.feed(feed)) }
    guard let jid = sidebar.conversation(number: number) else {
      return show(StatusNotice(.info, "status.noNumber", ["number": "\(number)"]))
    }
    open(jid)
  }

  /// Opens the next (`1`) or previous (`-1`) conversation; without any, that of a listed contact.
  package func openNeighbour(_ step: Int) {
    let next = sidebar.neighbour(step)
    if let next, next != sidebar.active { return open(next) }
    if let jid = sidebar.contact(step) { return open(jid) }
    if let next { open(next) }
    show(StatusNotice(.info, "status.noNeighbour"))
  }

  package func openNextUnread() {
    if let jid = sidebar.nextUnread {
      open(jid)
    } else if let account = accounts.nextUnread {
      actions.showUnread(account)
    } else {
      show(StatusNotice(.info, "status.noUnread"))
    }
  }

  /// Opens the next unread conversation after switching accounts, unless the current one is unread.
  package func openUnreadHere() {
    guard sidebar.active.flatMap({ sidebar.conversation($0) })?.unread ?? 0 == 0,
      let jid = sidebar.nextUnread
    else { return }
    open(jid)
  }

  package func openLast() {
    if let last { open(last) }
  }

  // Opens the first conversation by itself, so that a new user sees who wrote. After the user has
  // closed all conversations, none opens. An unfinished input is not meant for the sender: the
  // conversation opens when the input is empty, unless the user went elsewhere meanwhile.
  private func openFirst(of changed: [Conversation]) {
    guard sidebar.active == nil, !hasShown, waitingFirst == nil,
      let first = changed.first.flatMap({ sidebar.conversation($0.jid) })
    else { return }
    guard input.text.isEmpty else { return waitingFirst = first.jid }
    show(first, byItself: true)
    onOpen()
  }

  /// Opens the conversation that waits for an empty input, after what has just begun: the command
  /// that was typed may open another one.
  func openWaiting() {
    guard waitingFirst != nil else { return }
    lifetime.inOrder { [weak self] in
      guard let self, input.text.isEmpty, let jid = waitingFirst else { return }
      waitingFirst = nil
      guard sidebar.active == nil, !hasShown, let first = sidebar.conversation(jid) else { return }
      show(first, byItself: true)
      onOpen()
    }
  }

  /// - Parameter byItself: without a request of the user, so that the current notice stays.
  func show(_ conversation: Conversation?, byItself: Bool = false) {
    if conversation != nil { hasShown = true }
    // A conversation is never in both halves: its draft would be, too.
    if let other = otherSlot, let jid = conversation?.jid, other.conversation == jid {
      return use(other)
    }
    if let active = sidebar.active, active != conversation?.jid { last = active }
    if !byItself { status.clear() }
    sidebar.active = conversation?.jid
    if let conversation { sidebar.select(.conversation(conversation.jid)) }
    members.show(conversation.flatMap { people.isRoom($0.jid) ? $0.jid : nil })
    current.show(conversation)
    showAim()
    showTyping()
    status.show(hiddenBelow: 0)
    rememberSlots()
    counted()
  }

  /// The name of `jid` on lists.
  package func name(of jid: JID) -> String { people.name(of: jid) }
  package var connectionState: ConnectionState { connection.state }
}
