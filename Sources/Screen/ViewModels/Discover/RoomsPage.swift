import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The page of public rooms: the rooms of the directories, those with the most occupants first.
package final class RoomsPage: CardPage {
  private enum Order { case people, name }

  package let id = "rooms"
  package let rows = FilteredRows<String>()

  let shell: ShellViewModel
  let finder: any PublicRoomFinding
  private(set) var listing = RoomListing()
  /// The rooms in the order of the rows.
  private var rooms: [PublicRoom] = []
  private var order = Order.people
  private var hasLoaded = false
  private var isLoading = false
  private var isStale = false
  /// The filter to apply once the list is loaded.
  private var wanted: String?
  private var cancelSearch: (() -> Void)?
  private var lastSearch = ""

  /// The age in seconds after which the list is reloaded when the user opens the page.
  private static let freshness: TimeInterval = 3600
  /// The pause in typing before search services are queried.
  private static let pause = Duration.milliseconds(700)

  package init(shell: ShellViewModel, finder: any PublicRoomFinding) {
    self.shell = shell
    self.finder = finder
    shell.follow { [weak self] in self?.handle($0) }
    rows.onFilter = { [weak self] in self?.filterChanged() }
  }

  package func restore(from other: any CardPage) {
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

  // MARK: - Listing

  package func appeared() {
    if !hasLoaded { load() } else { refreshWhereOld() }
  }

  private func load() {
    // Any number of changes during a load cause one more load.
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
    if listing.readAt?.isRecent(Self.freshness, at: shell.now()) == true { return }
    refresh(isRequested: false)
  }

  private func refresh(isRequested: Bool) {
    shell.lifetime.aside { [weak self, finder] in
      do { try await finder.refresh() } catch {
        // An automatic refresh: the old list stays visible with its age.
        if isRequested { self?.shell.report(error) }
      }
    }
  }

  // MARK: - Content

  private var form: RoomForm { RoomForm(shell: shell, finder: finder) }
  private func name(of room: PublicRoom) -> String { form.name(of: room) }

  package func card(_ index: Int) -> CardItem {
    let room = rooms[index]
    let isInside = shell.people.room(room.jid)?.phase == .inside
    return CardItem(
      glyph: isInside ? "*" : "", title: name(of: room),
      number: room.people.map(String.init) ?? "", tag: String((room.language ?? "").prefix(2)),
      note: form.access(of: room), text: ErrorText.oneLine(room.topic),
      spokenGlyph: isInside ? localizer("discover.rooms.inside") : "",
      spokenNumber: room.people.map { localizer.plural("header.people", $0) } ?? "")
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.rooms.name"), number: localizer("discover.rooms.people"),
      tag: localizer("discover.rooms.language"), note: localizer("discover.rooms.door"),
      text: localizer("discover.rooms.topic"))
  }

  package var headline: String {
    let directories = listing.directories
    if directories.isEmpty, listing.waiting.isEmpty, !listing.isReading { return "" }
    return CardHeadline(
      source: directories.count == 1
        ? directories[0].jid.description
        : localizer.plural("discover.services", directories.count),
      isReading: listing.isReading, readAt: directories.compactMap(\.readAt).min(),
      waiting: listing.waiting
    ).text(format, now: shell.now())
  }

  package var count: String {
    let count = localizer.plural("discover.rooms.count", rows.shown.count)
    return count + "  "
      + localizer(order == .people ? "discover.rooms.byPeople" : "discover.rooms.byName")
  }

  package var emptyText: String {
    if rows.count > 0 { return localizer("sidebar.noneMatch") }
    if listing.isReading || !hasLoaded { return localizer("discover.rooms.reading") }
    return localizer(
      shell.connectionState.isOnline ? "discover.rooms.none" : "discover.rooms.offline")
  }

  private var selected: PublicRoom? { rows.selectedIndex.map { rooms[$0] } }

  package var summary: [String] {
    guard let room = selected else { return [] }
    var lines = [
      ([room.jid.description] + form.facts(of: room)).joined(separator: "  ")
    ]
    let topic = ErrorText.oneLine(room.topic)
    if !topic.isEmpty { lines.append(topic) }
    return lines
  }

  // MARK: - User input

  package var actions: Set<CardAction> { [.open, .add, .remove, .sort, .refresh] }

  /// The same action shows a room and joins it.
  package var hintKeys: [CardAction: String] {
    selected == nil ? [:] : [.open: "discover.rooms.hint.open"]
  }

  package func perform(_ action: CardAction) {
    switch action {
    // An empty list does not exclude rooms: by address, or new ones.
    case .open: if let selected { form.show(selected) } else if rows.count == 0 { askForRoom() }
    case .add: add()
    case .remove: removeService()
    case .sort:
      order = order == .people ? .name : .people
      sort()
    case .refresh: refresh(isRequested: true)
    case .rename, .toggle: break
    }
  }

  package func show(item: String) {
    if hasLoaded { rows.setFilter(item) } else { wanted = item }
  }

  /// Queries the added search services for the filter, when the typing pauses.
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
          // The search failed: the same text counts as a new one.
          self?.lastSearch = ""
          throw error
        }
      }
    }
  }
}
