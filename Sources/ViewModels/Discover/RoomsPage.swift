import FoundationEssentials
import NatterCore
import XMPP

/// The page of public rooms: what the directories list, those with the most people first.
package final class RoomsPage: CardPage {
  private enum Order { case people, name }

  package let id = "rooms"
  package let rows = FilteredRows<String>()

  let shell: ShellViewModel
  let finder: any PublicRoomFinding
  private(set) var listing = RoomListing()
  /// In the order of the rows.
  private var rooms: [PublicRoom] = []
  private var order = Order.people
  private var hasLoaded = false
  private var isLoading = false
  private var isStale = false
  /// What the list is to be narrowed to once it is there.
  private var wanted: String?
  private var cancelSearch: (() -> Void)?
  private var lastSearch = ""

  /// What is older is read again when the person comes to the page.
  private static let freshness: TimeInterval = 3600
  /// How long nothing is typed before searches are asked.
  private static let pause = Duration.milliseconds(700)

  package init(shell: ShellViewModel, finder: any PublicRoomFinding) {
    self.shell = shell
    self.finder = finder
    shell.follow { [weak self] in self?.handle($0) }
    rows.onFilter = { [weak self] in self?.filterChanged() }
  }

  package func takePlace(of other: any CardPage) {
    if let other = other as? RoomsPage { order = other.order }
  }

  private var format: ItemFormat { shell.format }
  var localizer: Localizer { shell.format.localizer }

  private func handle(_ event: DomainEvent) {
    switch event {
    case .publicRoomsChanged: load()
    case .connectionChanged(let state): if hasLoaded, state.isOnline { refreshWhereOld() }
    case .roomsChanged: rows.onChange()
    default: break
    }
  }

  // MARK: - What is listed

  package func appeared() {
    if !hasLoaded { load() } else { refreshWhereOld() }
  }

  private func load() {
    // Many changes while the list is fetched are one more fetch.
    guard !isLoading else { return isStale = true }
    isLoading = true
    shell.lifetime.aside { [weak self, finder] in
      do {
        let listing = try await finder.listing()
        self?.take(listing)
      } catch {
        self?.shell.report(error)
      }
      guard let self else { return }
      isLoading = false
      if isStale {
        isStale = false
        load()
      }
    }
  }

  private func take(_ listing: RoomListing) {
    self.listing = listing
    sort()
    if let text = wanted {
      wanted = nil
      rows.setFilter(text)
    }
    guard !hasLoaded else { return }
    hasLoaded = true
    refreshWhereOld()
  }

  private func sort() {
    let keyed = listing.rooms.map {
      (room: $0, name: name(of: $0).lowercased(), people: order == .people ? $0.people ?? -1 : 0)
    }
    rooms = keyed.sorted { ($1.people, $0.name) < ($0.people, $1.name) }.map(\.room)
    rows.load(rooms.map(\.jid.description)) { [rooms] in
      "\(rooms[$0].name) \(rooms[$0].jid.description) \(rooms[$0].topic)"
    }
  }

  private func refreshWhereOld() {
    guard shell.connectionState.isOnline, !listing.isReading else { return }
    if let readAt = listing.readAt, shell.now().timeIntervalSince(readAt) < Self.freshness {
      return
    }
    refresh(isWished: false)
  }

  private func refresh(isWished: Bool) {
    shell.lifetime.aside { [weak self, finder] in
      do { try await finder.refresh() } catch {
        // Nobody asked for it: what was read before stands there with its age.
        if isWished { self?.shell.report(error) }
      }
    }
  }

  // MARK: - What is shown

  private func name(of room: PublicRoom) -> String {
    room.name.isEmpty
      ? room.jid.local ?? room.jid.description : ProblemText.oneLine(room.name)
  }

  package func card(_ index: Int) -> CardItem {
    let room = rooms[index]
    return CardItem(
      sign: shell.people.room(room.jid)?.phase == .inside ? "*" : "", title: name(of: room),
      number: room.people.map(String.init) ?? "", tag: String((room.language ?? "").prefix(2)),
      note: door(of: room), text: ProblemText.oneLine(room.topic))
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.rooms.name"), number: localizer("discover.rooms.people"),
      tag: localizer("discover.rooms.language"), note: localizer("discover.rooms.door"),
      text: localizer("discover.rooms.topic"))
  }

  /// Who is let in, in a word; empty where it is not known.
  private func door(of room: PublicRoom) -> String {
    guard room.isDescribed else { return "" }
    if room.traits.contains(.passwordProtected) { return localizer("discover.door.password") }
    return localizer(
      room.traits.contains(.membersOnly) ? "discover.door.members" : "discover.door.open")
  }

  package var headline: String {
    let places = shell.withWaiting(
      listing.waiting,
      listing.directories.count == 1
        ? listing.directories[0].jid.description
        : localizer.plural("discover.services", listing.directories.count))
    if listing.isReading { return localizer("discover.reading", ["place": places]) }
    guard !listing.directories.isEmpty else { return listing.waiting.isEmpty ? "" : places }
    guard let readAt = listing.directories.compactMap(\.readAt).min() else { return places }
    return localizer(
      "discover.asOf", ["place": places, "time": format.moment(readAt, now: shell.now())])
  }

  package var count: String {
    let count = localizer.plural("discover.rooms.count", rows.shown.count)
    return count + "  "
      + localizer(order == .people ? "discover.rooms.byPeople" : "discover.rooms.byName")
  }

  package var emptyText: String {
    if rows.count > 0 { return localizer("sidebar.noMatch") }
    if listing.isReading || !hasLoaded { return localizer("discover.rooms.reading") }
    return localizer(
      shell.connectionState.isOnline ? "discover.rooms.none" : "discover.rooms.offline")
  }

  private var selected: PublicRoom? { rows.selectedIndex.map { rooms[$0] } }

  package var summary: [String] {
    guard let room = selected else { return [] }
    var lines = [
      ([room.jid.description] + facts(of: room)).joined(separator: "  ")
    ]
    let topic = ProblemText.oneLine(room.topic)
    if !topic.isEmpty { lines.append(topic) }
    return lines
  }

  /// People, language and door, in words.
  private func facts(of room: PublicRoom) -> [String] {
    var facts: [String] = []
    if let people = room.people { facts.append(localizer.plural("header.people", people)) }
    if let language = room.language { facts.append(ProblemText.oneLine(language)) }
    if room.isDescribed { facts.append(door(of: room)) }
    for (trait, key) in [
      (Room.Trait.moderated, "moderated"), (.nonAnonymous, "nonAnonymous"),
      (.archive, "archive"), (.temporary, "temporary"),
    ] where room.traits.contains(trait) {
      facts.append(localizer("discover.trait.\(key)"))
    }
    return facts
  }

  // MARK: - What the person does

  package var actions: Set<CardAction> { [.open, .add, .remove, .sort, .refresh] }

  /// A room is looked at and entered in the same place.
  package var hintKeys: [CardAction: String] {
    selected == nil ? [:] : [.open: "discover.rooms.hint.open"]
  }

  package func perform(_ action: CardAction) {
    switch action {
    // Where nothing is listed there are rooms all the same: by their address, or made.
    case .open: if let selected { preview(selected) } else if rows.count == 0 { askForRoom() }
    case .add: add()
    case .remove: removeService()
    case .sort:
      order = order == .people ? .name : .people
      sort()
    case .refresh: refresh(isWished: true)
    case .rename, .toggle: break
    }
  }

  package func show(item: String) {
    if hasLoaded { rows.setFilter(item) } else { wanted = item }
  }

  /// Has the searches that were added asked for what is typed, when the typing pauses.
  private func filterChanged() {
    cancelSearch?()
    guard listing.directories.contains(where: { $0.kind == .search }) else { return }
    cancelSearch = shell.scheduler.after(Self.pause) { [weak self] in
      guard let self, let text = rows.filter?.trimmed, text.count >= 2, text != lastSearch else {
        return
      }
      lastSearch = text
      shell.perform(nil) { [weak self, finder] in
        do { try await finder.search(for: text) } catch {
          // It was asked for nothing: the same words count as new ones.
          self?.lastSearch = ""
          throw error
        }
      }
    }
  }

  // MARK: - The preview

  private enum Button {
    static let join = "join"
    static let share = "share"
    static let close = "close"
  }

  /// Shows what is known of a room, and then what the room says itself.
  private func preview(_ room: PublicRoom) {
    let form = FormViewModel(
      title: name(of: room), fields: fields(RoomPreview(room: room), isWhole: false),
      keyHints: [localizer("form.keysSubmit"), localizer("dialog.keysClose")],
      defaultButton: Button.join)
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [weak self] id in
      close()
      guard let self else { return }
      switch id {
      case Button.join: join(room.jid)
      case Button.share:
        shell.share(
          ResourceAddress.xmpp(room.jid, query: "join"), title: name(of: room))
      default: break
      }
    }
    shell.lifetime.aside { [weak self, weak form, finder] in
      do {
        let preview = try await finder.preview(of: room.jid)
        guard let self, let form else { return }
        form.replace(
          title: name(of: preview.room), fields: fields(preview, isWhole: true), focus: nil)
      } catch {
        guard let self, let form else { return }
        form.message = FormMessage(
          .info, [format.text(NatterError(telling: error, key: "error.unexpected").notice)])
      }
    }
  }

  /// A line of the room, as its people see it.
  private func said(_ line: RoomPreview.Line) -> String {
    let (nick, text) = (
      People.nick(ProblemText.oneLine(line.nick)), ProblemText.oneLine(line.text)
    )
    return format.shown(
      text.hasPrefix("/me ") ? "* \(nick) \(text.dropFirst(4))" : "\(nick): \(text)")
  }

  private func join(_ jid: JID) {
    do {
      try shell.actions.request("rooms/join", ["jid": jid.description])
    } catch {
      shell.report(error)
    }
  }

  private func fields(_ preview: RoomPreview, isWhole: Bool) -> [FormField] {
    let room = preview.room
    func entry(_ key: String, _ text: String) -> FormField {
      FormField(.entry(term: localizer("discover.preview.\(key)")), key, label: text)
    }
    var fields = [entry("address", room.jid.description)]
    let facts = facts(of: room)
    if !facts.isEmpty { fields.append(entry("kind", facts.joined(separator: ", "))) }
    let topic = ProblemText.oneLine(room.topic)
    if !topic.isEmpty { fields.append(entry("topic", topic)) }
    let description = ProblemText.oneLine(preview.description)
    if !description.isEmpty, description != topic { fields.append(entry("about", description)) }
    if !preview.nicks.isEmpty {
      let nicks = preview.nicks.prefix(20).map { ProblemText.oneLine($0) }.joined(separator: ", ")
      fields.append(
        entry("here", nicks + (preview.nicks.count > 20 ? " " + format.glyphs.ellipsis : "")))
    }
    if !isWhole {
      fields.append(FormField(.paragraph, "asking", label: localizer("discover.preview.asking")))
    }
    if !preview.lines.isEmpty {
      fields.append(FormField(.spacer, "gap-lines"))
      fields += preview.lines.suffix(5).enumerated().map { offset, line in
        FormField(
          .paragraph, "line\(offset)",
          label: format.moment(line.sentAt, now: shell.now()) + " " + said(line))
      }
    }
    let isInside = shell.people.room(room.jid)?.phase == .inside
    return fields + [
      FormField(.spacer, "gap"),
      FormField(
        .button, Button.join, label: localizer(isInside ? "discover.goTo" : "discover.join")),
      FormField(.button, Button.share, label: localizer("discover.share")),
      FormField(.button, Button.close, label: localizer("discover.close")),
    ]
  }
}
