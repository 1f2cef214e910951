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

/// The one finder over conversations, people, rooms, actions, commands, settings and files (UX.md 3.3, screen 9).
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
  private let memory: PaletteMemory
  /// What typed text could mean that is found nowhere, as an address.
  private let fallback: (String) -> [PaletteEntry]
  private var entries: [PaletteEntry] = []
  private var ids: Set<String> = []
  private var ranks: [Int] = []
  private var byKind: [Character: [Int]] = [:]
  private var index: FuzzyIndex?
  private var found: [PaletteEntry] = []
  /// What the query before found, for a longer one.
  private var before: (query: String, indices: [Int])?
  private var selected = 0

  /// - Parameters:
  ///   - entries: in the order of preference; what was used lately comes before all.
  ///   - texts: those of a list of one kind of thing, where no prefix narrows and all is listed; `nil`: of everything.
  package init(
    entries: [PaletteEntry], memory: PaletteMemory, localizer: Localizer,
    texts: PaletteTexts? = nil, query: String = "",
    fallback: @escaping (String) -> [PaletteEntry] = { _ in [] }
  ) {
    self.localizer = localizer
    self.memory = memory
    self.fallback = fallback
    self.texts = texts
    self.query = query
    cursor = query.count
    limit = texts == nil ? 100 : 1000
    arrange(entries)
    search()
  }

  /// Takes what was read while it stood open already; what is selected stays so, and nothing is there twice.
  package func add(_ more: [PaletteEntry]) {
    let more = more.filter { !ids.contains($0.id) }
    guard !more.isEmpty else { return }
    let selectedID = found.indices.contains(selected) ? found[selected].id : nil
    let recent = Set(memory.ids)
    if more.contains(where: { recent.contains($0.id) }) {
      arrange(entries + more)
      index = nil
    } else {
      append(more)
    }
    before = nil
    search()
    // Who has not gone anywhere yet stays at the top.
    selected = selected == 0 ? 0 : found.firstIndex { $0.id == selectedID } ?? 0
    invalidation.raise()
  }

  /// Puts what nobody went to lately behind all the others: what was made ready for the search stays.
  private func append(_ more: [PaletteEntry]) {
    for (offset, entry) in more.enumerated() where texts == nil {
      byKind[entry.kind.prefix, default: []].append(entries.count + offset)
    }
    ids.formUnion(more.map(\.id))
    ranks += more.map { _ in 0 }
    entries += more
    index?.append(more.lazy.map { Self.searched($0) })
  }

  /// The text that the letters are looked for in.
  private static func searched(_ entry: PaletteEntry) -> String {
    var (title, detail) = (entry.title, entry.detail)
    // What a command can do without is said of it, and is not its name.
    if entry.kind == .command, let bracket = title.firstIndex(of: "[") {
      detail = title[bracket...] + " " + detail
      title = String(title[..<bracket]).trimmed
    }
    return "\(title)\(FuzzyIndex.divider)\(detail) \(entry.words)"
  }

  private func arrange(_ entries: [PaletteEntry]) {
    let places = Dictionary(
      uniqueKeysWithValues: memory.ids.enumerated().map { ($0.element, $0.offset) })
    let recent = entries.filter { places[$0.id] != nil }
      .sorted { (places[$0.id] ?? 0) < (places[$1.id] ?? 0) }
    self.entries = recent + entries.filter { places[$0.id] == nil }
    ids = Set(entries.map(\.id))
    ranks = self.entries.indices.map { $0 < recent.count ? 60 - min($0, 30) : 0 }
    var byKind: [Character: [Int]] = [:]
    for (offset, entry) in self.entries.enumerated() where texts == nil {
      byKind[entry.kind.prefix, default: []].append(offset)
    }
    self.byKind = byKind
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
    var candidates: [Int]?
    if let first = text.first, let own = byKind[first] {
      candidates = own
      // The slash is part of a command's name, the others are not of any.
      text = String(text.dropFirst())
    }
    guard !text.isEmpty else {
      before = nil
      found = (candidates ?? Array(entries.indices.prefix(limit))).prefix(limit)
        .map { entries[$0] }
      return
    }
    if let before, candidates == nil, text.hasPrefix(before.query) { candidates = before.indices }
    let index = index ?? FuzzyIndex(entries.lazy.map { Self.searched($0) })
    self.index = index
    let matches = index.matches(text, among: candidates)
    before =
      query.trimmed == text ? (text, matches.map(\.index)) : nil
    let ranked = FuzzyIndex.meant(matches).map {
      FuzzyIndex.Match(index: $0.index, score: $0.score + ranks[$0.index], fit: $0.fit)
    }
    found = FuzzyIndex.best(ranked, limit: limit).map { entries[$0.index] }
    // A line with a command means that command, whatever else has its words.
    let line = query.trimmed
    found = line.isCommandLine ? fallback(line) + found : found + fallback(text)
  }
}
