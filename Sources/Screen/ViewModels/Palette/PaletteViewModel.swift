import Text

/// One row of the palette, its text final.
nonisolated package struct PaletteItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let glyph: String
  package let title: String
  package let detail: String
  package let keys: String
  package let isSelected: Bool
}

/// The texts of a palette that lists one kind of thing only.
nonisolated package struct PaletteTexts: Hashable, Sendable {
  package let title: String
  /// The hint for Enter.
  package let hint: String
  /// The text for an empty result.
  package let nothing: String

  package init(title: String, hint: String, nothing: String) {
    self.title = title
    self.hint = hint
    self.nothing = nothing
  }
}

/// The search over conversations, people, rooms, actions, commands, settings and files, and over
/// messages where the query begins with a quotation mark (interface.md, "Palette").
package final class PaletteViewModel {
  /// The highest number of rows.
  private let limit: Int

  package let invalidation = Invalidation()
  package private(set) var query = ""
  /// Graphemes before the cursor.
  package private(set) var cursor = 0
  /// Called with the chosen entry, after the palette has closed.
  package var onRun: (PaletteEntry) -> Void = { _ in }
  /// Called with the query for files when it has changed; the results are added later.
  package var onSearch: (String) -> Void = { _ in }
  /// Called with the query for messages when it has changed, empty when there is none; the results
  /// are shown later.
  var onMessageSearch: (String) -> Void = { _ in }
  /// The matches among the messages; `nil` before the first result.
  private var messages: [PaletteEntry]?

  private let localizer: Localizer
  private let texts: PaletteTexts?
  private let memory: RecentChoices
  /// Makes entries for what the index does not contain: an address, a command line.
  private let fallback: (String) -> [PaletteEntry]
  private var index: PaletteIndex
  private var found: [PaletteEntry] = []
  /// The previous query and its matches, the candidates of a longer query.
  private var before: (query: String, trail: PaletteIndex.Trail)?
  private var selected = 0

  /// - Parameters:
  ///   - entries: in order of preference; recently used ones precede all others.
  ///   - lazy: lazy entries that follow these, indexed already.
  ///   - more: entries that follow the lazy ones.
  ///   - texts: the texts of a list of one kind of thing, without prefixes and with a higher row
  ///     limit; `nil`: the general palette.
  package init(
    entries: [PaletteEntry], lazy: LazyPaletteEntries? = nil, more: [PaletteEntry] = [],
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
    index = PaletteIndex(
      before: entries, lazy: lazy, behind: more, memory: memory, knowsKinds: texts == nil)
    search()
  }

  /// Adds entries that were read while the palette was open; the selection stays, without
  /// duplicates.
  package func add(_ more: [PaletteEntry]) {
    change { $0.add(more) }
  }

  /// Replaces the lazy entries by ones that were indexed while the palette was open.
  package func put(_ lazy: LazyPaletteEntries) {
    change {
      $0.put(lazy)
      return true
    }
  }

  /// Shows the matches among the messages, if the query still asks for them.
  func show(messages: [PaletteEntry]) {
    self.messages = messages
    guard wantedMessage != nil else { return }
    (found, selected) = (messages, 0)
    invalidation.raise()
  }

  private func change(_ change: (inout PaletteIndex) -> Bool) {
    guard change(&index) else { return }
    let selectedID = found.indices.contains(selected) ? found[selected].id : nil
    before = nil
    search()
    // A selection at the top stays at the top.
    selected = selected == 0 ? 0 : found.firstIndex { $0.id == selectedID } ?? 0
    invalidation.raise()
  }

  package var title: String { texts?.title ?? localizer("palette.title") }
  package var hints: [KeyHint] {
    if let texts { return [KeyHint(texts.hint), localizer.wayOut("dialog.keysClose")] }
    return [
      localizer.hint("palette.keysRun"), localizer.wayOut("dialog.keysClose"),
      localizer.hint("palette.keysNarrow"), localizer.hint("palette.keysNarrowMore"),
      localizer.hint("palette.keysNarrowActions"), localizer.hint("palette.keysNarrowMessages"),
    ]
  }
  /// The text for an empty result.
  package var emptyText: String {
    guard found.isEmpty else { return "" }
    guard let wantedMessage else { return texts?.nothing ?? localizer("palette.nothing") }
    if wantedMessage.isEmpty { return localizer("palette.messages") }
    return messages == nil ? "" : localizer("palette.noMessages")
  }

  package var items: [PaletteItem] {
    found.enumerated().map { offset, entry in
      PaletteItem(
        id: entry.id, glyph: glyph(entry.kind), title: entry.title, detail: entry.detail,
        keys: entry.keys, isSelected: offset == selected)
    }
  }

  private func glyph(_ kind: PaletteEntry.EntryKind) -> String {
    switch kind {
    case .conversation, .contact: "@"
    case .room: "#"
    // A command's name contains its slash.
    case .action, .setting, .command: " "
    case .file: "~"
    case .message: "\""
    }
  }

  // MARK: User input

  /// Updates the query after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    self.cursor = min(max(0, cursor), text.count)
    if text != query {
      query = text
      selected = 0
      search()
      if let wanted = wantedFile { onSearch(wanted) }
      onMessageSearch(wantedMessage ?? "")
    }
    invalidation.raise()
  }

  /// The query for messages; `nil` if it searches something else.
  private var wantedMessage: String? {
    let text = query.trimmed
    guard texts == nil, let first = text.unicodeScalars.first,
      first == "\"" || first == "\u{201C}"
    else { return nil }
    return String(text.unicodeScalars.dropFirst()).trimmed
  }

  /// The query for files; `nil` if it searches something else.
  private var wantedFile: String? {
    let text = query.trimmed
    guard let first = text.first, !ResourceAddress.isBegun(text) else { return nil }
    if first == PaletteEntry.EntryKind.file.prefix { return String(text.dropFirst()) }
    return PaletteEntry.EntryKind.allCases.contains { $0.prefix == first } ? nil : text
  }

  /// Moves the selection; single steps wrap around.
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

  /// Runs the selected entry (Enter).
  /// - Returns: whether there was an entry to run.
  package func run() -> Bool {
    guard found.indices.contains(selected) else { return false }
    let entry = found[selected]
    // A message is no entry of the next palette.
    if entry.kind != .message { memory.used(entry.id) }
    onRun(entry)
    return true
  }

  // MARK: Search

  private func search() {
    var text = query.trimmed
    // An address is unambiguous: entries with the same letters are not meant.
    if ResourceAddress.isBegun(text) {
      (before, found) = (nil, fallback(text))
      return
    }
    if let wantedMessage {
      // The matches of the query before stay until there are others.
      if wantedMessage.isEmpty { messages = nil }
      (before, found) = (nil, messages ?? [])
      return
    }
    messages = nil
    let kind = text.first.flatMap { index.isPrefix($0) ? $0 : nil }
    // The slash is part of a command's name; the other prefixes are not part of any.
    if kind != nil { text = String(text.dropFirst()) }
    guard !text.isEmpty else {
      before = nil
      found = index.first(limit, of: kind)
      return
    }
    var trail: PaletteIndex.Trail?
    if let before, kind == nil, text.hasPrefix(before.query) { trail = before.trail }
    let result = index.search(text, of: kind, after: trail, limit: limit)
    before = kind == nil ? (text, result.trail) : nil
    found = result.entries
    // A command line means that command, whatever else matches its text.
    let line = query.trimmed
    found = line.isCommandLine ? fallback(line) + found : found + fallback(text)
  }
}
