/// One row of the palette, its text final.
nonisolated package struct PaletteItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let sign: String
  package let title: String
  package let detail: String
  package let keys: String
  package let isSelected: Bool
}

/// What a palette says of itself where it is for choosing among other things than all there is.
nonisolated package struct PaletteTexts: Hashable, Sendable {
  package let title: String
  /// What Enter does.
  package let hint: String
  /// What is said where nothing was found.
  package let nothing: String

  package init(title: String, hint: String, nothing: String) {
    self.title = title
    self.hint = hint
    self.nothing = nothing
  }
}

/// The one finder over conversations, people, rooms, actions, commands, settings and files
/// (interface.md, "Palette").
package final class PaletteViewModel {
  /// Most rows that are ever listed.
  private let limit: Int

  package let invalidation = Invalidation()
  package private(set) var query = ""
  /// Graphemes before the cursor.
  package private(set) var cursor = 0
  /// Called with the entry that was chosen, after the palette was told to close.
  package var onRun: (PaletteEntry) -> Void = { _ in }
  /// Called with what is looked for among files, when it has changed: what else is found is added.
  package var onSearch: (String) -> Void = { _ in }

  private let localizer: Localizer
  private let texts: PaletteTexts?
  private let memory: RecentChoices
  /// What typed text could mean that is found nowhere, as an address.
  private let fallback: (String) -> [PaletteEntry]
  private var stock: PaletteIndex
  private var found: [PaletteEntry] = []
  /// What the query before found, for a longer one.
  private var before: (query: String, trail: PaletteIndex.Trail)?
  private var selected = 0

  /// - Parameters:
  ///   - entries: in the order of preference; what was used lately comes before all.
  ///   - shelf: what comes behind these, ready to be searched.
  ///   - more: what comes behind the shelf.
  ///   - texts: those of a list of one kind of thing, where no prefix narrows and all is listed; `nil`: of everything.
  package init(
    entries: [PaletteEntry], shelf: LazyPaletteEntries? = nil, more: [PaletteEntry] = [],
    memory: RecentChoices, localizer: Localizer, texts: PaletteTexts? = nil, query: String = "",
    fallback: @escaping (String) -> [PaletteEntry] = { _ in [] }
  ) {
    self.localizer = localizer
    self.memory = memory
    self.fallback = fallback
    self.texts = texts
    self.query = query
    cursor = query.count
    limit = texts == nil ? 100 : 1000
    stock = PaletteIndex(
      before: entries, shelf: shelf, behind: more, memory: memory, knowsKinds: texts == nil)
    search()
  }

  /// Takes what was read while it stood open already; what is selected stays so, and nothing is there twice.
  package func add(_ more: [PaletteEntry]) {
    change { $0.add(more) }
  }

  /// Takes a shelf that was made ready while it stood open already, in the place of the one it had.
  package func put(_ shelf: LazyPaletteEntries) {
    change {
      $0.put(shelf)
      return true
    }
  }

  private func change(_ change: (inout PaletteIndex) -> Bool) {
    guard change(&stock) else { return }
    let selectedID = found.indices.contains(selected) ? found[selected].id : nil
    before = nil
    search()
    // Who has not gone anywhere yet stays at the top.
    selected = selected == 0 ? 0 : found.firstIndex { $0.id == selectedID } ?? 0
    invalidation.raise()
  }

  package var title: String { texts?.title ?? localizer("palette.title") }
  package var hints: [KeyHint] {
    if let texts { return [KeyHint(texts.hint), localizer.wayOut("dialog.keysClose")] }
    return [
      localizer.hint("palette.keysRun"), localizer.wayOut("dialog.keysClose"),
      localizer.hint("palette.keysNarrow"), localizer.hint("palette.keysNarrowMore"),
      localizer.hint("palette.keysNarrowActions"),
    ]
  }
  /// What is said where nothing was found.
  package var emptyText: String {
    found.isEmpty ? texts?.nothing ?? localizer("palette.nothing") : ""
  }

  package var items: [PaletteItem] {
    found.enumerated().map { offset, entry in
      PaletteItem(
        id: entry.id, sign: sign(entry.kind), title: entry.title, detail: entry.detail,
        keys: entry.keys, isSelected: offset == selected)
    }
  }

  private func sign(_ kind: PaletteEntry.Kind) -> String {
    switch kind {
    case .conversation, .contact: "@"
    case .room: "#"
    // A command's slash is in its name.
    case .action, .setting, .command: " "
    case .file: "~"
    }
  }

  // MARK: What the person does

  /// The query after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    self.cursor = min(max(0, cursor), text.count)
    if text != query {
      query = text
      selected = 0
      search()
      if let wanted = wantedFile { onSearch(wanted) }
    }
    invalidation.raise()
  }

  /// What is looked for among files; `nil` where it is something else that is looked for.
  private var wantedFile: String? {
    let text = query.trimmed
    guard let first = text.first, !ResourceAddress.isBegun(text) else { return nil }
    if first == PaletteEntry.Kind.file.prefix { return String(text.dropFirst()) }
    return PaletteEntry.Kind.allCases.contains { $0.prefix == first } ? nil : text
  }

  /// Moves the selection, round the ends for single steps.
  package func moveSelection(_ step: Int) {
    guard !found.isEmpty else { return }
    let next = selected + step
    selected =
      abs(step) == 1
      ? (next + found.count) % found.count : min(found.count - 1, max(0, next))
    invalidation.raise()
  }

  package func select(_ id: PaletteItem.ID) {
    if let index = found.firstIndex(where: { $0.id == id }) { selected = index }
    invalidation.raise()
  }

  /// Enter.
  /// - Returns: whether there was something to run.
  package func run() -> Bool {
    guard found.indices.contains(selected) else { return false }
    let entry = found[selected]
    memory.used(entry.id)
    onRun(entry)
    return true
  }

  // MARK: Search

  private func search() {
    var text = query.trimmed
    // An address says what it wants: nothing that has its letters is meant.
    if ResourceAddress.isBegun(text) {
      (before, found) = (nil, fallback(text))
      return
    }
    let kind = text.first.flatMap { stock.isPrefix($0) ? $0 : nil }
    // The slash is part of a command's name, the others are not of any.
    if kind != nil { text = String(text.dropFirst()) }
    guard !text.isEmpty else {
      before = nil
      found = stock.first(limit, of: kind)
      return
    }
    var trail: PaletteIndex.Trail?
    if let before, kind == nil, text.hasPrefix(before.query) { trail = before.trail }
    let result = stock.search(text, of: kind, after: trail, limit: limit)
    before = kind == nil ? (text, result.trail) : nil
    found = result.entries
    // A line with a command means that command, whatever else has its words.
    let line = query.trimmed
    found = line.isCommandLine ? fallback(line) + found : found + fallback(text)
  }
}
