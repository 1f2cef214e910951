import NatterCore
import Text
import XMPP

/// The list of conversations, people and requests.
///
/// A conversation keeps its number until it is closed, so that Alt+3 stays the same person
/// (interface.md, "Panes").
package final class SidebarViewModel {
  package let invalidation = Invalidation()
  /// The conversation that is shown.
  package var active: JID? {
    didSet {
      guard active != oldValue else { return }
      activeUrgency = active.map { urgency(of: $0) } ?? .none
      refresh()
    }
  }
  package private(set) var selection: SidebarItem.ID? { didSet { refresh() } }
  /// The text that the list is narrowed to; `nil` when it is not.
  package private(set) var filter: String? { didSet { refresh() } }
  /// Indicates whether the pane has the keys.
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      // No row moves under the cursor.
      heldOrder = isFocused || holdsStill ? order : nil
      if isFocused { selectInitially() } else { filter = nil }
      refresh()
    }
  }

  /// Indicates whether rows stay until `settleOrder`: a screen reader speaks each row that moves.
  package var holdsStill = false { didSet { heldOrder = holdsStill ? settledOrder() : nil } }
  /// Called when numbers or the user's order have changed: to be kept.
  package var onArrange: (SidebarArrangement) -> Void = { _ in }

  private let format: ItemFormat
  let notifications: ConversationNotifications
  private(set) var conversations: [JID: Conversation] = [:]
  /// The conversations that the user has hidden.
  private(set) var hidden: [JID: Conversation] = [:]
  var numbers: [JID: Int] = [:]
  /// Those of the feeds: no conversation has one of them.
  var feedNumbers: [Feed.ID: Int] = [:]
  /// The numbers that the previous shell had given: they are valid as long as the program runs.
  var held: [JID: Int] = [:]
  /// The urgency of the conversation that is shown, or was when it was opened: its row stays there.
  var activeUrgency = Urgency.none
  /// The order in which the rows are kept; `nil`: their proper order.
  var heldOrder: [JID]?
  /// The conversations by part, without urgency, cached: a new message does not sort names.
  var calmOrder: [JID]?
  private var hasLoaded = false
  /// Those at the top of the list.
  var pinned: Set<JID> = []
  /// Indicates whether the user has moved conversations, which orders the list by numbers.
  var isArranged = false
  var ordering = ConversationOrder.alphabet
  /// The arrangement that was kept last.
  var kept = SidebarArrangement()
  private var pending = SidebarRequests()
  /// The messages that could not be sent and that the user has not seen.
  package var failures = SidebarFailures() { didSet { if failures != oldValue { refresh() } } }
  /// The feeds that are followed, by name.
  package var feeds: [SidebarFeed] = [] {
    didSet {
      guard feeds != oldValue else { return }
      if hasLoaded { numberFeeds() }
      refresh()
    }
  }
  private(set) var people: People
  private var cached: [SidebarItem]?
  /// The contacts by name, cached: sorting hundreds of names for each message would be slow.
  private var sortedContacts: [JID]?

  package init(
    format: ItemFormat, notifications: ConversationNotifications = ConversationNotifications()
  ) {
    (self.format, self.notifications) = (format, notifications)
    people = People(own: OwnNames(format))
  }

  /// The peers that ask to see this account's presence.
  var requests: [JID] { pending.contacts }

  /// The rows, from the top.
  package var items: [SidebarItem] {
    if let cached { return cached }
    let items = makeItems()
    cached = items
    return items
  }

  func isRoom(_ jid: JID) -> Bool { people.isRoom(jid) }

  package func conversation(_ jid: JID) -> Conversation? { conversations[jid] }

  /// Returns whether the user looks at the end of a conversation. A message there is read when
  /// it is shown and never counted; else title and badges would flicker with each message.
  var isBeingRead: (JID) -> Bool = { _ in false }
  /// Indicates whether an unread message mentions the user.
  var isMentioned: Bool {
    conversations.values.contains { $0.mentions > 0 && counts($0) }
  }
  /// The unread messages of all conversations that are not muted.
  package var totalUnread: Int {
    conversations.values.reduce(0) { $1.unread > 0 && counts($1) ? $0 + $1.unread : $0 }
  }
  /// Indicates whether the unread messages of a conversation call for attention.
  func counts(_ conversation: Conversation) -> Bool {
    !isBeingRead(conversation.jid) && !notifications.isMuted(conversation.jid)
  }

  // MARK: News

  /// Takes what was in the database and in memory when the screen was made.
  ///
  /// Numbers are given here: those of `arrangement`, then in the order of the list.
  package func load(
    conversations loaded: [Conversation], hidden: [Conversation] = [], contacts: [Contact],
    presence: [ContactPresence],
    requests: [JID], arrangement: SidebarArrangement = SidebarArrangement()
  ) {
    sortedContacts = nil
    (kept, isArranged) = (arrangement, arrangement.isOwn)
    for conversation in loaded {
      numbers[conversation.jid] = arrangement.numbers[conversation.jid] ?? held[conversation.jid]
      if arrangement.pinned.contains(conversation.jid) { pinned.insert(conversation.jid) }
    }
    _ = people.apply(.contactsChanged(contacts))
    _ = people.apply(.presenceChanged(presence))
    _ = people.apply(.conversationsChanged(loaded))
    for conversation in hidden { self.hidden[conversation.jid] = conversation }
    for conversation in loaded { conversations[conversation.jid] = conversation }
    calmOrder = nil
    number(settledOrder())
    hasLoaded = true
    numberFeeds()
    settleOrder()
    for request in requests { pending.add(contact: request) }
    refresh()
  }

  package func handle(_ event: DomainEvent) {
    var (isNews, mayTakeRows) = (people.apply(event), event.mayTakeRows)
    let isRequest = pending.apply(event)
    switch event {
    case .presenceChanged, .connectionChanged: break
    default: if isNews { calmOrder = nil }
    }
    switch event {
    case .contactsChanged, .contactsRemoved, .conversationsChanged:
      if isNews { sortedContacts = nil }
    default: break
    }
    switch event {
    case .conversationsChanged(let changed):
      let other = changed.filter { conversations[$0.jid] != $0 }
      for conversation in other { put(conversation) }
      number(other.map(\.jid))
      if !other.isEmpty { isNews = true }
    case .conversationsRemoved(let removed):
      for jid in removed {
        hidden[jid] = conversations.removeValue(forKey: jid)
        numbers[jid] = nil
        pinned.remove(jid)
      }
      calmOrder = nil
      keepArrangement()
      isNews = true
    case .contactsChanged(let changed):
      // A contact that may see the presence now was answered.
      let answered = Set(
        changed.filter { $0.subscription == .from || $0.subscription == .both }.map(\.jid.bare))
      if pending.remove(contacts: answered) { (isNews, mayTakeRows) = (true, true) }
    default: break
    }
    if isNews || isRequest { refresh() }
    // What was selected may have gone; keys need something to work on.
    if isFocused, mayTakeRows || filter != nil || selection == nil { selectInitially() }
  }

  /// Takes an answered request off the list.
  package func removeRequest(_ jid: JID) {
    _ = pending.remove(contacts: [jid])
    refresh()
    if isFocused { selectInitially() }
  }

  package func invitation(to room: JID) -> RoomInvitation? {
    pending.invitations.first { $0.room == room }
  }

  /// - Parameter occupant: who asks to speak, by their occupant JID.
  package func voiceRequest(of occupant: JID) -> VoiceRequest? {
    pending.voices.first { $0.id == occupant }
  }

  package func select(_ id: SidebarItem.ID) { selection = id }

  /// Moves the selection by `step` rows that can be selected; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let rows = items.filter(\.isSelectable)
    guard !rows.isEmpty else { return }
    let index = rows.firstIndex { $0.isSelected } ?? (step > 0 ? -1 : rows.count)
    let wanted =
      step == .min ? 0 : step == .max ? rows.count - 1 : min(rows.count - 1, max(0, index + step))
    selection = rows[wanted].id
  }

  package func beginFilter() { filter = "" }

  package func typeFilter(_ text: String) {
    filter = (filter ?? "") + text.filter { !$0.isNewline }
    selection = items.first(where: \.isSelectable)?.id
  }

  /// Takes so many letters off its end; one that has none ends.
  package func shortenFilter(by count: Int = 1) {
    guard let text = filter else { return }
    filter = text.isEmpty ? nil : String(text.dropLast(count))
    if isFocused { selectInitially() }
  }

  /// - Returns: whether there was one.
  @discardableResult package func endFilter() -> Bool {
    guard filter != nil else { return false }
    filter = nil
    if isFocused { selectInitially() }
    return true
  }

  private func put(_ conversation: Conversation) {
    let jid = conversation.jid
    hidden[jid] = nil
    let before = conversations.updateValue(conversation, forKey: jid)
    let isMoved = ordering == .recent && before?.lastActivity != conversation.lastActivity
    if before?.kind != conversation.kind || isMoved { calmOrder = nil }
  }

  private func selectInitially() {
    if let selection, items.contains(where: { $0.id == selection }) { return }
    let open = active.map { SidebarItem.ID.conversation($0) }
    selection =
      items.contains { $0.id == open } ? open : items.first(where: \.isSelectable)?.id
  }

  private func makeItems() -> [SidebarItem] {
    var items: [SidebarItem] = []
    let asked = requests.filter(passesFilter)
    let invited = pending.invitations.map(\.room).filter(passesFilter)
    let speaking = pending.voices.map(\.id).filter(passesFilter)
    if !asked.isEmpty || !invited.isEmpty || !speaking.isEmpty {
      items.append(section("requests"))
      items += invited.map { jid in
        var item = SidebarItem(id: .invitation(jid))
        item.presence = format.glyphs.room
        item.name = people.address(jid)
        return finished(item)
      }
      items += (speaking.map { .voice($0) } + asked.map { .request($0) }).map(row(request:))
    }
    let order = order.filter(passesFilter)
    let top = order.filter { pinned.contains($0) }
    if !top.isEmpty {
      items.append(section("pinned"))
      items += top.map(row(conversation:))
    }
    let chats = order.filter { !pinned.contains($0) }
    let others = contactsByName().filter { conversations[$0] == nil && passesFilter($0) }
    let rooms = chats.filter { people.isRoom($0) }
    // A heading with nothing below it is for those who have nothing at all.
    if top.isEmpty || chats.count > rooms.count || !others.isEmpty {
      items.append(section("direct"))
    }
    items += chats.filter { !people.isRoom($0) }.map(row(conversation:))
    if !rooms.isEmpty {
      // Before those with whom there is no conversation: rooms must not go down in a long list.
      items.append(section("rooms"))
      items += rooms.map(row(conversation:))
      if !others.isEmpty { items.append(section("contacts")) }
    }
    items += others.map { finished(person(SidebarItem(id: .contact($0)), $0)) }
    let read = feeds.filter { passesFilter($0.name) }
    if !read.isEmpty {
      items.append(section("feeds"))
      items += read.map { feed in
        var item = SidebarItem(id: .feed(feed.id))
        (item.presence, item.name) = (format.glyphs.feed, feed.name)
        item.number = SidebarItem.key(of: feedNumbers[feed.id])
        if feed.unread > 0 { item.badge = feed.unread > 999 ? "999+" : "\(feed.unread)" }
        return finished(item)
      }
    }
    if order.isEmpty, others.isEmpty, read.isEmpty, asked.isEmpty, invited.isEmpty,
      speaking.isEmpty
    {
      var item = SidebarItem(id: .hint)
      item.name = format.localizer(filter == nil ? "sidebar.empty" : "sidebar.noMatch")
      items.append(item)
    }
    return items
  }

  private func section(_ name: String) -> SidebarItem {
    var item = SidebarItem(id: .section(name))
    item.name = format.localizer("sidebar.\(name)")
    return item
  }

  private func row(request id: SidebarItem.ID) -> SidebarItem {
    var item = SidebarItem(id: id)
    item.presence = format.glyphs.request
    item.name = item.jid.map { people.name(of: $0) } ?? ""
    return finished(item)
  }

  private func row(conversation jid: JID) -> SidebarItem {
    var item = person(SidebarItem(id: .conversation(jid)), jid)
    item.number = SidebarItem.key(of: numbers[jid])
    if let unread = conversations[jid]?.unread, unread > 0, !isBeingRead(jid) {
      let mentions = min(conversations[jid]?.mentions ?? 0, unread)
      item.isMentioned = mentions > 0
      item.badge = UnreadBadge.text(unread: unread, mentions: mentions)
    }
    mark(muted: jid, &item)
    if failures.concern(jid) { item.badge = format.glyphs.failed + item.badge }
    item.isActive = jid == active
    return finished(item)
  }

  /// Marks the row of a conversation that is muted.
  private func mark(muted jid: JID, _ item: inout SidebarItem) {
    guard notifications.isMuted(jid) else { return }
    item.isMuted = true
    guard format.glyphs.isLinear else {
      item.badge = [format.glyphs.muted, item.badge].filter { !$0.isEmpty }.joined(separator: " ")
      return
    }
    item.spokenPresence = format.localizer.list(
      [item.spokenPresence, format.localizer("header.muted")].filter { !$0.isEmpty })
  }

  private func person(_ item: SidebarItem, _ jid: JID) -> SidebarItem {
    var item = item
    item.name = people.name(of: jid)
    if people.isRoom(jid) {
      item.isShutOut = people.room(jid).map { $0.phase == .outside && $0.exit != nil } ?? false
      item.presence =
        item.isShutOut && !format.glyphs.isLinear ? format.glyphs.failed : format.glyphs.room
      if item.isShutOut, format.glyphs.isLinear {
        item.spokenPresence = format.localizer("header.outside")
      }
      return item
    }
    if people.isOccupant(jid) {
      item.presence = format.glyphs.occupant
      return item
    }
    item.availability = people.availability(of: jid)
    if format.glyphs.isLinear {
      item.spokenPresence = format.heardPresence(of: jid, among: people)
    } else {
      item.presence = format.glyph(of: jid, among: people)
    }
    return item
  }

  private func finished(_ item: SidebarItem) -> SidebarItem {
    var item = item
    item.name = format.shown(item.name)
    item.isSelected = item.id == selection
    return item
  }

  private func passesFilter(_ jid: JID) -> Bool {
    passesFilter(people.name(of: jid)) || passesFilter(jid.description) || passesFilter(jid.shown)
  }

  private func passesFilter(_ text: String) -> Bool {
    guard let filter, !filter.isEmpty else { return true }
    return SearchForm.of(text).contains(SearchForm.of(filter))
  }

  func contactsByName() -> [JID] {
    if let sortedContacts { return sortedContacts }
    let sorted = people.byName(people.contacts.keys)
    sortedContacts = sorted
    return sorted
  }

  func refresh() {
    cached = nil
    invalidation.raise()
  }
}
