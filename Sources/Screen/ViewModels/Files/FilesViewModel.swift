import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The files sent and received, and the transfers in progress: all or filtered, loaded page by
/// page.
package final class FilesViewModel {
  package let invalidation = Invalidation()
  /// The filters at the side of the list.
  package let filters: PageListViewModel
  /// The search text for names; `nil` outside a search.
  package internal(set) var search: String?
  package private(set) var selection: FileItem.ID?
  package var isFocused = true {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  let shell: ShellViewModel
  private(set) var window = FileWindow()
  private(set) var transfers: [FileTransfer.ID: FileTransfer] = [:]
  private var totals: FileTotals?
  private(set) var conversations: [JID] = []
  /// True if there are files that are not in the list yet: loaded when the list is shown.
  private var isStale = true
  private var isLoading = false
  private var hasLoaded = false
  /// A number for each reading: the result of an earlier one is discarded.
  private var visit = 0
  /// True if the selection moves to the end once the page is loaded.
  private var isGoingToEnd = false
  private var revealed: Message.ID?
  /// The page to open once it is among the filters.
  var wantedPage: String?
  private var lastIndex = 0
  /// The origin-id of an upload that was selected: its message is selected once it is in the list.
  private var followed: String?
  private var cachedFiles: [FileItem]?
  private var cached: [FileItem]?
  /// The preview of the last file that was previewed.
  var looked: (path: String, preview: FilePreview?) = ("", nil)

  package init(shell: ShellViewModel) {
    self.shell = shell
    filters = PageListViewModel(items: [])
    showFilters()
    filters.onSelect = { [weak self] in
      self?.showFilters()
      self?.begin()
    }
    shell.follow { [weak self] in self?.handle($0) }
    guard let files = shell.ports.files else { return }
    shell.lifetime.aside { [weak self] in
      for transfer in await files.sharing.transfers(in: nil) {
        self?.transfers[transfer.id] = transfer
      }
      self?.refresh()
    }
  }

  var format: ItemFormat { shell.format }
  private var maker: FileItems {
    FileItems(format: format, people: shell.people, now: shell.now())
  }

  // MARK: Filters

  enum Page {
    static let running = "running"
    static let fixed =
      ["all", running, "week", "month", "sent", "received", "pictures", "media", "documents"]
  }

  private func showFilters() {
    filters.show(
      Page.fixed.map { PageItem(id: $0, title: format.localizer("files.filter.\($0)")) }
        + listed.map { PageItem(id: $0.description, title: shell.people.name(of: $0)) })
    if let page = wantedPage, filters.items.contains(where: { $0.id == page }) {
      wantedPage = nil
      filters.select(page)
    }
  }

  /// The conversations among the filters. The selected one stays without files until another filter
  /// is selected: its page is empty then.
  private var listed: [JID] {
    let gone = shownConversation.flatMap { conversations.contains($0) ? nil : [$0] }
    return conversations + (gone ?? [])
  }

  /// The conversation whose page is selected; `nil` on another page.
  var shownConversation: JID? { Page.fixed.contains(page) ? nil : JID(parsing: page) }

  var page: String {
    filters.items.indices.contains(filters.selected) ? filters.items[filters.selected].id : "all"
  }

  var filter: FileFilter {
    var filter = FileFilter(text: search ?? "")
    switch page {
    case "week": filter.since = midnight(daysAgo: 6)
    case "month": filter.since = midnight(daysAgo: 29)
    case "sent": filter.direction = .outgoing
    case "received": filter.direction = .incoming
    case "pictures": filter.kind = .picture
    case "media": filter.kind = .media
    case "documents": filter.kind = .document
    default: filter.conversation = shownConversation
    }
    return filter
  }

  /// Returns the beginning of the day that many days ago: the same value all day.
  private func midnight(daysAgo count: Int) -> Date {
    let today = format.calendarDay(shell.now())
    return format.date(CalendarDay(number: today.number - count), hour: 0, minute: 0)
  }

  /// Filters the list by a filter's name, or by a conversation's address.
  package func show(_ page: String) { filters.select(page) }

  // MARK: Rows

  /// The rows from the top.
  package var items: [FileItem] {
    if let cached { return cached }
    var items: [FileItem] = []
    let shown = shownTransfers
    if !shown.isEmpty {
      items.append(heading("files.transfers"))
      items += shown.map { maker.item(of: $0) }
    }
    if page != Page.running {
      let files = fileItems
      if !files.isEmpty, !shown.isEmpty { items.append(heading("files.history")) }
      items += files
    }
    if items.isEmpty, hasLoaded || page == Page.running {
      var hint = FileItem(id: .hint)
      hint.name = emptyText
      items = [hint]
    }
    if let index = items.firstIndex(where: { $0.id == selection }) {
      lastIndex = index
    } else {
      // If the selected row is gone, the row at its index is selected.
      let near = items.indices.filter { items[$0].isSelectable }
      selection = (near.first { $0 >= lastIndex } ?? near.last).map { items[$0].id }
    }
    cached = items
    return items
  }

  private func heading(_ key: String) -> FileItem {
    var item = FileItem(id: .heading(key))
    item.name = format.localizer(key)
    return item
  }

  private var shownTransfers: [FileTransfer] {
    let filter = filter
    let text = SearchForm.of(filter.text)
    return transfers.values.filter { transfer in
      (filter.conversation == nil || transfer.conversation == filter.conversation)
        && (filter.since.map { transfer.begun >= $0 } ?? true)
        && (filter.direction == nil
          || (transfer.direction == .upload) == (filter.direction == .outgoing))
        && (filter.kind == nil
          || FileKind(mediaType: transfer.mediaType, name: transfer.name) == filter.kind)
        && (text.isEmpty || SearchForm.of(transfer.name).contains(text))
    }.sorted { $0.id < $1.id }
  }

  private var fileItems: [FileItem] {
    if let cachedFiles { return cachedFiles }
    let maker = self.maker
    let fetching = Dictionary(
      transfers.values.compactMap { transfer in transfer.message.map { ($0, transfer) } },
      uniquingKeysWith: { $1 })
    let items = window.files.map { maker.item(of: $0, transfer: fetching[$0.id]) }
    cachedFiles = items
    return items
  }

  /// The number of files and their total size; empty while it is unknown.
  package var count: String {
    guard let totals, page != Page.running else { return "" }
    let text = format.localizer.plural("files.count", totals.count)
    return totals.byteCount > 0
      ? format.localizer.list([text, format.localizer.size(totals.byteCount)]) : text
  }

  /// Details of the selected file: three lines, or none.
  package var details: [String] {
    if let transfer = selectedTransfer { return maker.lines(of: transfer) }
    if let file = selectedFile { return maker.lines(of: file) }
    return []
  }

  var selectedFile: OfferedFile? {
    guard case .file(let id) = selection else { return nil }
    return window.files.first { $0.id == id }
  }

  var selectedTransfer: FileTransfer? {
    guard case .transfer(let id) = selection else { return nil }
    return transfers[id]
  }

  // MARK: News

  private func handle(_ event: DomainEvent) {
    switch event {
    case .messagesStored(let stored), .historyStored(let stored, _):
      guard stored.contains(where: { $0.file != nil }) else { return }
      fallthrough
    case .historyImported:
      isStale = true
      invalidation.raise()
    case .messagesChanged(let changed):
      var isMine = false
      for message in changed where window.replace(message) {
        isMine = true
        if message.isRetracted {
          window.remove([message.id])
          isStale = true
        }
      }
      if isMine { filesChanged() }
    case .messagesRemoved(_, let ids):
      window.remove(Set(ids))
      isStale = true
      filesChanged()
    case .transfersChanged(let changed): changed.forEach(took)
    case .transfersRemoved(let ids):
      for id in ids { transfers[id] = nil }
      filesChanged()
    case .contactsChanged, .conversationsChanged, .roomsChanged:
      showFilters()
      filesChanged()
    default: break
    }
  }

  private func took(_ transfer: FileTransfer) {
    let isDone = transfer.state == .done
    if isDone, selection == .transfer(transfer.id) { follow(transfer) }
    transfers[transfer.id] = isDone ? nil : transfer
    if isDone, transfer.direction == .download, let message = transfer.message {
      _ = window.change(message) { $0.localPath = transfer.path }
    }
    // An upload is in the list of files only after it has finished.
    if transfer.message == nil, !isDone { refresh() } else { filesChanged() }
  }

  /// Keeps the selection when a transfer becomes a file.
  private func follow(_ transfer: FileTransfer) {
    if let message = transfer.message, window.files.contains(where: { $0.id == message }) {
      selection = .file(message)
    } else if transfer.direction == .upload {
      followed = transfer.originID
      isStale = true
    }
  }

  private func filesChanged() {
    if let followed, let file = window.files.first(where: { $0.message.originID == followed }) {
      (selection, self.followed) = (.file(file.id), nil)
    }
    cachedFiles = nil
    refresh()
  }

  func refresh() {
    cached = nil
    invalidation.raise()
  }

  // MARK: Reading

  /// Loads new files; called when the list is shown.
  package func readNews() {
    guard isStale, !isLoading else { return }
    isStale = false
    // A user who reads further down keeps their position.
    guard !window.hasNewer else { return readTotals() }
    load(.newest, limit: max(FileWindow.pageSize, window.files.count))
  }

  /// Starts again at the newest file, for a new filter.
  func begin() {
    (selection, lastIndex, isStale, followed) = (nil, 0, false, nil)
    load(.newest)
    filesChanged()
  }

  private func load(_ position: FilePosition, limit: Int = FileWindow.pageSize) {
    guard let history = shell.ports.files?.history else { return hasLoaded = true }
    visit += 1
    isLoading = true
    let (visit, filter) = (visit, filter)
    shell.lifetime.aside { [weak self] in
      do {
        let page = try await history.files(filter, at: position, limit: limit)
        self?.show(page, position, limit, visit)
      } catch {
        self?.fail(error, visit)
      }
    }
    switch position {
    case .newest, .oldest: readTotals()
    case .before, .after: break
    }
  }

  /// Loads the files around `position`, with the newer ones above it.
  func show(around position: MessagePosition) {
    (revealed, isStale) = (position.id, false)
    window.begin()
    load(.before(MessagePosition(at: position.time, id: .init(position.id.rawValue + 1))))
    readTotals()
  }

  private func show(_ page: [OfferedFile], _ position: FilePosition, _ limit: Int, _ itsVisit: Int)
  {
    guard itsVisit == visit else { return }
    (isLoading, hasLoaded) = (false, true)
    window.take(page, at: position, limit: limit)
    filesChanged()
    if isGoingToEnd {
      isGoingToEnd = false
      select(items.last(where: \.isSelectable))
    }
    if let id = revealed {
      revealed = nil
      select(.file(id))
      if let first = window.files.first { load(.after(first.message.position)) }
    }
  }

  private func fail(_ error: any Error, _ itsVisit: Int) {
    guard itsVisit == visit else { return }
    (isLoading, isGoingToEnd, revealed) = (false, false, nil)
    shell.report(error)
  }

  private func readTotals() {
    guard let history = shell.ports.files?.history else { return }
    let filter = filter
    shell.lifetime.aside { [weak self] in
      // Only a number in a corner: errors are reported where the files are loaded.
      let totals = try? await history.totals(of: filter)
      let conversations = try? await history.conversations()
      guard let self, filter == self.filter else { return }
      self.totals = totals
      if let conversations, conversations != self.conversations {
        self.conversations = conversations
        showFilters()
      }
      refresh()
    }
  }

  // MARK: Navigation

  package func select(_ id: FileItem.ID) { select(items.first { $0.id == id }) }

  private func select(_ item: FileItem?) {
    guard let item, item.isSelectable, item.id != selection else { return }
    (selection, followed) = (item.id, nil)
    lastIndex = items.firstIndex { $0.id == item.id } ?? lastIndex
    invalidation.raise()
  }

  /// Moves the selection by `step` files; `.min` and `.max` go to the ends of all files, not only
  /// the loaded ones.
  package func moveSelection(_ step: Int) {
    if step == .max, window.hasOlder, page != Page.running {
      isGoingToEnd = true
      return load(.oldest)
    }
    if step == .min, window.hasNewer, page != Page.running { return begin() }
    let rows = items.filter(\.isSelectable)
    guard !rows.isEmpty else { return }
    let index = rows.firstIndex { $0.id == selection } ?? 0
    let wanted =
      step == .min ? 0 : step == .max ? rows.count - 1 : min(rows.count - 1, max(0, index + step))
    select(rows[wanted])
    // Loads the next page well before the end is reached.
    guard !isLoading, page != Page.running else { return }
    if window.hasOlder, wanted > rows.count - FileWindow.pageSize / 2, let last = window.files.last
    {
      load(.before(last.message.position))
    } else if window.hasNewer, wanted < FileWindow.pageSize / 2, let first = window.files.first {
      load(.after(first.message.position))
    }
  }
}
