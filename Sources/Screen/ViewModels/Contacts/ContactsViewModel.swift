import NatterCore
import Text
import XMPP

/// The contacts by group, available ones first, and the details of the selected one.
package final class ContactsViewModel {
  package let invalidation = Invalidation()
  /// Raised along with `invalidation`: the details of the selected contact are in a separate pane.
  package let detailInvalidation = Invalidation()
  /// The text that filters the list; `nil` without a filter.
  package private(set) var filter: String? { didSet { refresh() } }
  package var isFocused = true {
    didSet {
      guard isFocused != oldValue else { return }
      refresh()
    }
  }

  let shell: ShellViewModel
  private let card: ContactCardViewModel
  private var listAge: SnapshotAge?
  private var selection: ContactItem.ID?
  private var closed: Set<ContactItem.ID> = []
  private var cached: [ContactItem]?
  /// The index of the selected row in `cached`.
  private var row: Int?
  /// The contacts in order, and the index for the filter; remade when a contact changes.
  private var arrangement: ContactArrangement? { didSet { searched = nil } }
  private var searched: (requests: [JID], index: FuzzyIndex)?
  private var sortsByName = false {
    didSet {
      arrangement = nil
      refresh()
    }
  }

  package init(shell: ShellViewModel) {
    self.shell = shell
    card = ContactCardViewModel(shell: shell)
    card.onChange = { [weak self] in self?.detailInvalidation.raise() }
    listAge = SnapshotAge(shell: shell) { [ports = shell.ports] in
      try await ports.roster.rosterConfirmedAt()
    } onChange: { [weak self] in
      self?.invalidation.raise()
    }
    shell.follow { [weak self] in self?.handle($0) }
    shell.recall(PreferenceKey.contactOrder) { [weak self] in
      if $0 == "name" { self?.sortsByName = true }
    }
  }

  /// Takes over the selection, the closed groups and the filter of another view model.
  package func restore(from other: ContactsViewModel) {
    (selection, closed) = (other.selection, other.closed)
    filter = other.filter
  }

  private var format: ItemFormat { shell.format }
  private var people: People { shell.people }

  private func handle(_ event: DomainEvent) {
    card.handle(event)
    listAge?.handle(event)
    switch event {
    case .contactsChanged, .contactsRemoved, .presenceChanged, .subscriptionRequested,
      .subscriptionAnswered, .connectionChanged, .conversationsChanged:
      arrangement = nil
      refresh()
    default: break
    }
  }

  // MARK: Rows

  /// The rows from the top.
  package var items: [ContactItem] {
    if let cached { return cached }
    var items = makeItems()
    let wanted =
      items.firstIndex { $0.id == selection } ?? items.firstIndex { $0.jid != nil }
      ?? items.firstIndex(where: \.isSelectable)
    if let wanted {
      items[wanted].isSelected = true
      selection = items[wanted].id
    }
    row = wanted
    cached = items
    return items
  }

  /// The number of contacts.
  package var count: String { format.localizer.plural("header.people", people.contacts.count) }

  /// The age of the list; `nil` while it is up to date with the server.
  package var age: String? { listAge?.text }

  private func makeItems() -> [ContactItem] {
    var items: [ContactItem] = []
    let arranged = arranged()
    let found = found(in: arranged)
    let requests = shell.sidebar.requests.enumerated().filter { index, _ in
      found?[arranged.people.count + index] ?? true
    }.map(\.element)
    if !requests.isEmpty {
      var heading = ContactItem(id: .requests)
      heading.name = title(format.localizer("sidebar.requests"), "\(requests.count)")
      heading.isOpen = true
      items.append(heading)
      items += requests.map { jid in
        var item = ContactItem(id: .request(jid))
        item.glyph = format.glyphs.request
        item.name = format.shown(people.name(of: jid))
        item.detail = format.localizer("contacts.asks")
        return item
      }
    }
    for group in arranged.groups {
      let rows = group.rows(found)
      if rows.isEmpty { continue }
      let here = rows.count { $0.availability != .offline }
      var heading = ContactItem(id: .group(group.name))
      // A search shows its results in closed groups as well.
      heading.isOpen = filter?.isEmpty == false || !closed.contains(heading.id)
      heading.name = title(
        group.name.isVisible
          ? ErrorText.oneLine(group.name).uppercased() : format.localizer("sidebar.contacts"),
        "\(here)/\(rows.count)")
      items.append(heading)
      if heading.isOpen { items += rows }
    }
    if items.isEmpty {
      var item = ContactItem(id: .hint)
      item.name = format.localizer(filter == nil ? "contacts.empty" : "sidebar.noneMatch")
      items.append(item)
    }
    return items
  }

  private func arranged() -> ContactArrangement {
    if let arrangement { return arrangement }
    let made = ContactArrangement(people, sortsByName: sortsByName) { row(of: $0, in: $1) }
    arrangement = made
    return made
  }

  /// - Parameter count: the count, separate from a name that may be right-to-left text.
  private func title(_ name: String, _ count: String) -> String {
    format.shown(format.localizer("contacts.heading", ["name": name, "count": count]))
  }

  private func row(of contact: Contact, in group: String) -> ContactItem {
    let jid = contact.jid.bare
    var item = ContactItem(id: .contact(jid, group: group))
    item.availability = people.availability(of: jid)
    item.name = format.shown(people.name(of: jid))
    let status = people.status(of: jid).map(format.shown)
    item.detail = status ?? format.listedPresence(of: jid, among: people)
    if !format.glyphs.isLinear {
      item.glyph = format.glyph(of: jid, among: people)
    } else if let status {
      // A screen reader reads the meaning of the glyph before the status.
      item.detail = format.localizer.list(
        [format.heardPresence(of: jid, among: people), status].filter { !$0.isEmpty })
    }
    if !contact.changes.isEmpty {
      let isWaiting = contact.changes.allSatisfy(\.isWaiting)
      item.detail = format.localizer(isWaiting ? "contacts.waits" : "contacts.refused")
    }
    return item
  }

  /// Returns, by index, the contacts whose name or address contains the filter; requests follow the
  /// contacts. `nil`: there is no filter.
  private func found(in arranged: ContactArrangement) -> [Bool]? {
    guard let filter else { return nil }
    let requests = shell.sidebar.requests
    let everybody = arranged.people + requests
    if searched?.requests != requests {
      let texts = everybody.lazy.map { [people] jid in
        // Escapes match both in their encoded and their displayed form.
        "\(people.name(of: jid)) \(jid)" + (jid.shown == jid.description ? "" : " \(jid.shown)")
      }
      searched = (requests, FuzzyIndex(texts))
    }
    // The index is built before the first letter needs it.
    if filter.isEmpty { return nil }
    var found = Array(repeating: false, count: everybody.count)
    for index in searched?.index.containing(filter) ?? [] { found[index] = true }
    return found
  }

  private func refresh() {
    cached = nil
    invalidation.raise()
    detailInvalidation.raise()
  }

  // MARK: Selection

  /// The contact whose details are shown.
  package var selected: JID? { selectedItem?.jid }

  /// The row of the selected contact.
  package var selectedRow: Int? {
    // Remaking the rows updates `row`.
    _ = items
    return row
  }

  private var selectedItem: ContactItem? { selectedRow.map { items[$0] } }

  /// The name above the details; empty without a selection.
  package var title: String { selected.map { people.name(of: $0) } ?? "" }

  /// The details of the selected contact.
  package var details: [DetailItem] {
    card.show(selected)
    guard let jid = selected else { return [] }
    let localizer = format.localizer
    var details =
      card.warnings + [DetailItem(localizer("contacts.address"), jid.shown)]
    let contact = people.contacts[jid]
    if contact != nil {
      details.append(
        DetailItem(
          localizer("contacts.presence"),
          format.glyph(of: jid, among: people) + " "
            + format.listedPresence(of: jid, among: people)))
    }
    if let status = people.status(of: jid) {
      details.append(
        DetailItem(
          localizer("contacts.says"), localizer("header.status", ["text": format.shown(status)])))
    }
    if let contact {
      details += contact.changes.map { card.detail(of: $0) }
      let key = contact.isPending ? "pending" : contact.subscription.rawValue
      details.append(
        DetailItem(
          localizer("contacts.sees"), localizer("contacts.subscription.\(key)")))
      if !contact.groups.isEmpty {
        details.append(
          DetailItem(localizer("contacts.groups"), localizer.list(contact.groups)))
      }
    } else {
      details.append(DetailItem(localizer("contacts.sees"), localizer("contacts.notYet")))
    }
    if let last = shell.sidebar.conversation(jid)?.lastActivity {
      details.append(
        DetailItem(
          localizer("contacts.lastMessage"),
          format.day(last, now: shell.now()) + " " + format.time(last)))
    }
    return details + card.items
  }

  /// Queries the selected contact for their published data.
  package func look() {
    card.show(selected)
    card.look()
  }

  /// True if the selected row is a request.
  var isRequest: Bool {
    if case .request? = selectedItem?.id { true } else { false }
  }

  /// The picture of the selected contact, if it is stored on this machine.
  package var picture: PictureFile? { card.picture }

  var isBlocked: Bool { card.details?.isBlocked ?? false }

  // MARK: Navigation

  /// Selects a contact and ends the filter; an unknown address is ignored.
  package func show(_ address: String) {
    guard let contact = people.contacts.values.first(where: { $0.jid.bare.description == address })
    else { return }
    filter = nil
    let keys = ContactArrangement.keys(of: contact)
    let groups = arranged().groups.filter { keys.contains($0.key) }.map(\.name)
    if let first = groups.first, groups.allSatisfy({ closed.contains(.group($0)) }) {
      closed.remove(.group(first))
    }
    refresh()
    if let found = items.firstIndex(where: { $0.jid == contact.jid.bare }) { mark(found) }
  }

  package func select(_ id: ContactItem.ID) {
    selection = id
    if let index = items.firstIndex(where: { $0.id == id }) { mark(index) }
  }

  /// Moves the selection only, without remaking thousands of rows.
  private func mark(_ index: Int) {
    selection = items[index].id
    if let row { cached?[row].isSelected = false }
    cached?[index].isSelected = true
    row = index
    invalidation.raise()
    detailInvalidation.raise()
  }

  /// Moves the selection by `step` selectable rows; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let items = items
    guard let first = items.firstIndex(where: \.isSelectable),
      let last = items.lastIndex(where: \.isSelectable)
    else { return }
    guard var wanted = row, step != .min, step != .max else {
      return mark(step == .max ? last : first)
    }
    var left = abs(step)
    while left > 0, wanted != (step > 0 ? last : first) {
      wanted += step.signum()
      if items[wanted].isSelectable { left -= 1 }
    }
    mark(wanted)
  }

  /// Handles Enter: opens the conversation, accepts a request, opens or closes a group.
  package func open() {
    guard let item = selectedItem else { return }
    switch item.id {
    case .contact(let jid, _):
      filter = nil
      shell.open(jid)
    case .request(let jid): shell.approve(jid)
    case .group, .requests: toggleGroup()
    case .hint: break
    }
  }

  /// Opens or closes the group of the selection.
  package func toggleGroup() {
    guard let item = selectedItem else { return }
    let heading: ContactItem.ID
    switch item.id {
    case .contact(_, let group): heading = .group(group)
    case .group: heading = item.id
    default: return
    }
    if closed.remove(heading) == nil {
      closed.insert(heading)
      selection = heading
    }
    refresh()
  }

  /// Handles Del: removes a contact after a confirmation, declines a request.
  package func remove() {
    guard let item = selectedItem else { return }
    switch item.id {
    case .contact(let jid, _): shell.removeContact(jid)
    case .request(let jid): shell.deny(jid)
    default: break
    }
  }

  /// Switches between available contacts first, and all by name.
  package func changeOrder() {
    sortsByName.toggle()
    shell.remember(sortsByName ? "name" : nil, as: PreferenceKey.contactOrder)
    shell.show(StatusNotice(.info, sortsByName ? "status.byName" : "status.byPresence"))
  }

  package func add() { shell.askForContact() }

  package func rename() {
    if case .contact(let jid, _) = selection { shell.askForName(of: jid) }
  }

  // MARK: Filter

  package func beginFilter() { filter = "" }

  package func typeFilter(_ text: String) {
    filter = (filter ?? "") + text.filter { !$0.isNewline }
    // Enter opens the first result, not the heading above it.
    if let found = items.firstIndex(where: { $0.jid != nil }) { mark(found) }
  }

  /// Deletes characters from the end of the filter; an empty filter ends.
  package func shortenFilter(by count: Int = 1) {
    guard let text = filter else { return }
    filter = text.isEmpty ? nil : String(text.dropLast(count))
  }

  /// - Returns: whether there was a filter.
  @discardableResult package func endFilter() -> Bool {
    defer { filter = nil }
    return filter != nil
  }
}
