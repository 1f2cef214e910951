import Foundation
import NatterCore
import XMPP

/// The chats as a whole: which conversation is open, what typed lines and news do to the view models.
///
/// It is the half of the shell that knows nothing of terminals; `AppCoordinator` is the other.
package final class ShellViewModel {
  /// What the shell reads and changes, each as narrow as the use.
  package struct Ports {
    package let timeline: any TimelineReading
    package let conversations: any ConversationStoring
    package let histories: any InputHistoryStoring
    package let roster: any RosterStoring
    package let rosterChanges: any RosterManaging
    package let presence: any PresenceReading
    package let ownPresence: any PresenceSetting
    package let connection: any ConnectionControlling
    package let sender: any MessageSending

    package init(
      timeline: any TimelineReading, conversations: any ConversationStoring,
      histories: any InputHistoryStoring, roster: any RosterStoring,
      rosterChanges: any RosterManaging, presence: any PresenceReading,
      ownPresence: any PresenceSetting, connection: any ConnectionControlling,
      sender: any MessageSending
    ) {
      self.timeline = timeline
      self.conversations = conversations
      self.histories = histories
      self.roster = roster
      self.rosterChanges = rosterChanges
      self.presence = presence
      self.ownPresence = ownPresence
      self.connection = connection
      self.sender = sender
    }
  }

  /// When the terminal's bell rings.
  nonisolated package enum BellRule: String, Sendable, CaseIterable {
    case never, mention, direct, all
  }

  package let sidebar: SidebarViewModel
  package let header: HeaderViewModel
  package let timeline: TimelineViewModel
  package let input: InputViewModel
  package let status: StatusViewModel
  package let tabBar: TabBarViewModel
  package let hintBar = HintBarViewModel()
  package let commands: CommandTable
  package let format: ItemFormat
  package private(set) var actions: ShellActions

  /// Called when a conversation was opened by the person's wish.
  package var onOpen: () -> Void = {}
  /// Called when `title` has changed.
  package var onTitle: () -> Void = {}
  /// Called when the bell should ring.
  package var onBell: () -> Void = {}

  let ports: Ports
  let lifetime: Lifetime
  private let now: () -> Date
  private let bell: BellRule
  private var state = ConnectionState.offline
  private var people = People()
  private var last: JID?
  private var lastBell = Date.distantPast
  private var lastInterrupt = Date.distantPast
  private var today: Int
  private var shownTitle = ""

  package init(
    ports: Ports, format: ItemFormat, scheduler: Scheduler, actions: ShellActions,
    commands: CommandTable = CommandTable(), bell: BellRule = .mention,
    now: @escaping () -> Date = { Date() }
  ) {
    self.ports = ports
    self.format = format
    self.actions = actions
    self.commands = commands
    self.bell = bell
    self.now = now
    lifetime = Lifetime()
    today = format.dayNumber(now())
    sidebar = SidebarViewModel(format: format)
    header = HeaderViewModel(format: format)
    timeline = TimelineViewModel(
      format: format, archive: ports.timeline, lifetime: lifetime, now: now)
    status = StatusViewModel(format: format, scheduler: scheduler, now: now)
    tabBar = TabBarViewModel(format: format, now: now)
    weak var shell: ShellViewModel?
    input = InputViewModel(
      localizer: format.localizer, conversations: ports.conversations, histories: ports.histories,
      scheduler: scheduler, lifetime: lifetime, table: commands,
      source: CompletionSource(table: commands, localizer: format.localizer) {
        shell?.candidates(for: $0) ?? []
      })
    shell = self
    timeline.onSeen = { [weak self] in self?.markRead($0) }
    timeline.onScroll = { [weak self] in
      guard let self else { return }
      status.show(hiddenBelow: timeline.newBelow)
    }
    input.onStorageFailure = { [weak self] in self?.report($0) }
  }

  // MARK: News

  /// Loads what is there, then follows `events`, which have to be subscribed to before.
  package func run(_ events: AsyncStream<DomainEvent>) async {
    await load()
    var count = 0
    for await event in events {
      handle(event)
      count += 1
      // A full stream would not give the keys a turn.
      if count.isMultiple(of: 32) { await Task.yield() }
    }
  }

  /// Fills the screen with what is in the database and in memory, and opens the conversation that was last written in.
  package func load() async {
    do {
      let conversations = try await ports.conversations.conversations()
      let contacts = try await ports.roster.contacts()
      let presence = await ports.presence.presence()
      let requests = await ports.presence.subscriptionRequests()
      sidebar.load(
        conversations: conversations, contacts: contacts, presence: presence, requests: requests)
      for event: DomainEvent in [
        .contactsChanged(contacts), .presenceChanged(presence),
        .conversationsChanged(conversations),
      ] {
        _ = people.apply(event)
        header.handle(event)
        timeline.handle(event)
      }
      let newest = conversations.max {
        ($0.lastActivity ?? .distantPast) < ($1.lastActivity ?? .distantPast)
      }
      if sidebar.active == nil, let newest { show(newest) }
    } catch {
      report(error)
    }
    handle(.connectionChanged(await ports.connection.state()))
  }

  package func handle(_ event: DomainEvent) {
    if case .connectionChanged(let state) = event { self.state = state }
    _ = people.apply(event)
    sidebar.handle(event)
    header.handle(event)
    timeline.handle(event)
    status.handle(event)
    tabBar.handle(event)
    switch event {
    case .messagesStored(let messages): ring(for: messages)
    case .conversationsRemoved(let removed):
      if let active = sidebar.active, removed.contains(active) { show(nil) }
    case .subscriptionRequested(let jid):
      show(Notice(.info, "status.requested", ["name": people.name(of: jid)]))
    default: break
    }
    counted()
  }

  /// The clock shows another minute; at midnight the day changes.
  package func minutePassed() {
    tabBar.minutePassed()
    let day = format.dayNumber(now())
    guard day != today else { return }
    today = day
    timeline.midnightPassed()
  }

  /// `Natter (3) Bob`: for the terminal's title.
  package var title: String {
    let unread = sidebar.totalUnread
    return [format.localizer("app.name"), unread > 0 ? "(\(unread))" : "", header.shortTitle]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func counted() {
    tabBar.show(unread: sidebar.totalUnread)
    guard title != shownTitle else { return }
    shownTitle = title
    onTitle()
  }

  private func ring(for messages: [Message]) {
    guard bell != .never, now().timeIntervalSince(lastBell) >= 1 else { return }
    let isNews = messages.contains {
      $0.direction == .incoming
        && !($0.conversation == sidebar.active && timeline.isAttended)
    }
    guard isNews else { return }
    lastBell = now()
    onBell()
  }

  // MARK: Conversations

  package func openConversation(number: Int) {
    if let jid = sidebar.conversation(number: number) { open(jid) }
  }

  /// Opens the next (`1`) or previous (`-1`) conversation.
  package func openNeighbour(_ step: Int) {
    if let jid = sidebar.neighbour(step) { open(jid) }
  }

  package func openNextUnread() {
    if let jid = sidebar.nextUnread {
      open(jid)
    } else {
      show(Notice(.info, "status.noUnread"))
    }
  }

  package func openLast() {
    if let last { open(last) }
  }

  /// Does what Enter does on the sidebar's selected row.
  package func openSelection() {
    guard let item = sidebar.items.first(where: \.isSelected), let jid = item.jid else { return }
    if case .request = item.id { return approve(jid) }
    sidebar.endFilter()
    open(jid)
  }

  /// Does what Del does on the sidebar's selected row.
  package func removeSelection() {
    guard let item = sidebar.items.first(where: \.isSelected), let jid = item.jid else { return }
    switch item.id {
    case .request: deny(jid)
    case .conversation: close(jid)
    case .contact: removeContact(jid)
    case .section, .hint: break
    }
  }

  func show(_ conversation: Conversation?) {
    if let active = sidebar.active, active != conversation?.jid { last = active }
    status.clear()
    sidebar.active = conversation?.jid
    if let conversation { sidebar.select(.conversation(conversation.jid)) }
    header.conversation = conversation?.jid
    input.show(conversation)
    status.ask(nil)
    timeline.show(conversation)
    status.show(hiddenBelow: 0)
    counted()
  }

  private func markRead(_ jid: JID) {
    lifetime.inOrder { [weak self, ports] in
      do {
        if let read = try await ports.conversations.markRead(jid) {
          self?.handle(.conversationsChanged([read]))
        }
      } catch {
        self?.report(error)
      }
    }
  }

  // MARK: Typed lines

  /// Does what Enter does in the input.
  package func submit() {
    switch input.submission {
    case .nothing: break
    case .refused(let error): status.show(error.notice)
    case .message(let body, let jid):
      status.clear()
      // The draft is given up after the message is stored: a crash between loses neither.
      deliver(body, typed: input.text, to: jid)
      input.accepted()
    case .command(let command, let call):
      let typed = input.text
      status.clear()
      // First, because the command may change to another conversation and its draft.
      input.accepted()
      do {
        try command.execute(call, self)
      } catch {
        input.replaceText(typed)
        report(error)
      }
    }
  }

  /// Queues `body`; `typed` comes back into the input if it could not be stored.
  func deliver(_ body: String, typed: String, to jid: JID) {
    timeline.personWrote()
    lifetime.inOrder { [weak self, ports] in
      do {
        try await ports.sender.send(body, to: jid)
      } catch {
        self?.input.restore(typed, to: jid)
        self?.report(error)
      }
    }
  }

  /// Does what `^C` does: clears the input, or tells how to quit; twice within two seconds quits.
  package func interrupt() {
    if input.pendingPaste != nil { return _ = answerPaste(inserts: false) }
    if !input.text.isEmpty { return input.clear() }
    if now().timeIntervalSince(lastInterrupt) < 2 { return actions.quit() }
    lastInterrupt = now()
    show(Notice(.info, "status.howToQuit"))
  }

  /// Takes pasted text.
  /// - Returns: what to insert now; empty when it is asked about first.
  package func paste(_ text: String) -> String {
    let inserted = input.paste(text)
    status.ask(input.pasteQuestion)
    return inserted ?? ""
  }

  /// Ends the question about a large paste.
  /// - Returns: what to insert.
  package func answerPaste(inserts: Bool) -> String {
    defer { status.ask(nil) }
    return input.answerPaste(inserts: inserts)
  }

  /// Saves what is being typed and waits until everything begun is in the database: before the program ends.
  package func finish() async {
    input.saveDraft()
    await lifetime.settle()
  }

  func report(_ error: any Error) {
    if error is CancellationError { return }
    let notice =
      (error as? NatterError)?.notice ?? Notice(.error, "error.unexpected")
    status.show(notice)
  }

  /// What `parameter` can be.
  private func candidates(for parameter: Command.Parameter) -> [CompletionItem] {
    switch parameter {
    case .person:
      known.map { CompletionItem(text: $0.description, detail: people.name(of: $0)) }
    case .text:
      known.map { CompletionItem(text: people.shortName(of: $0), detail: $0.description) }
    case .theme: actions.themeNames().map { CompletionItem(text: $0) }
    case .topic:
      commands.commands.map {
        CompletionItem(text: $0.name, detail: format.localizer($0.summaryKey))
      }
    case .availability:
      ["online", "away", "xa", "busy", "chat"].map {
        CompletionItem(
          text: $0, detail: Command.availabilityNames[$0].map { format.presence($0) } ?? "")
      }
    }
  }

  /// Everybody who can be named, the active conversation's first.
  private var known: [JID] {
    let others = Set(people.contacts.keys).union(sidebar.order).subtracting(
      [sidebar.active].compactMap { $0 })
    return [sidebar.active].compactMap { $0 }
      + others.sorted { people.name(of: $0).lowercased() < people.name(of: $1).lowercased() }
  }

  /// The addresses that go by `name`: the whole name, the local part, or else the beginning of one of them.
  func known(by name: String) -> [JID] {
    let wanted = name.lowercased()
    func names(_ jid: JID) -> [String] {
      [people.name(of: jid), people.shortName(of: jid), jid.local ?? ""].map { $0.lowercased() }
    }
    let exact = known.filter { names($0).contains(wanted) }
    return exact.isEmpty ? known.filter { names($0).contains { $0.hasPrefix(wanted) } } : exact
  }

  /// The name of `jid` on lists.
  func name(of jid: JID) -> String { people.name(of: jid) }
  var connectionState: ConnectionState { state }
}
