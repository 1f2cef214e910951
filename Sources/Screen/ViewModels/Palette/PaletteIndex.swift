import Text

/// The entries of a palette, in order of preference: recently used ones, those before the lazy
/// entries, the lazy entries, those after them.
///
/// The eager entries are few and are indexed at the first search; the lazy ones may be tens of
/// thousands and come indexed.
struct PaletteIndex {
  /// The matches of a query, the candidates of a longer one.
  struct Trail {
    let near: [Int]
    let lazyIndices: [Int]
  }

  /// True if a prefix restricts the search to a kind.
  private let knowsKinds: Bool
  private let memory: RecentChoices
  private var before: [PaletteEntry]
  private var behind: [PaletteEntry]
  private var lazy: LazyPaletteEntries?

  // Derived from these.
  /// The recently used entries, those before the lazy ones, those after them.
  private var near: [PaletteEntry] = []
  /// The number of them that come before the lazy entries.
  private var lazyStart = 0
  private var ids: Set<String> = []
  private var ranks: [Int] = []
  private var byKind: [Character: [Int]] = [:]
  private var index: FuzzyIndex?
  /// The lazy entries that are among the near ones.
  private var taken: Set<Int> = []

  /// - Parameters:
  ///   - before: in order of preference.
  ///   - behind: those after the lazy entries, likewise.
  init(
    before: [PaletteEntry], lazy: LazyPaletteEntries?, behind: [PaletteEntry],
    memory: RecentChoices,
    knowsKinds: Bool
  ) {
    (self.before, self.lazy, self.behind) = (before, lazy, behind)
    (self.memory, self.knowsKinds) = (memory, knowsKinds)
    arrange()
  }

  private mutating func arrange() {
    let indices = Dictionary(
      uniqueKeysWithValues: memory.ids.enumerated().map { ($0.element, $0.offset) })
    let ranked = before + behind
    let known = Set(ranked.lazy.map(\.id))
    let lazyIndices = memory.ids.lazy.filter { !known.contains($0) }
      .compactMap { [lazy] in lazy?.row($0) }.compactMap { [lazy] in lazy?.entry($0) }
    let recent = (ranked.filter { indices[$0.id] != nil } + lazyIndices)
      .sorted { (indices[$0.id] ?? 0) < (indices[$1.id] ?? 0) }
    near = recent + before.filter { indices[$0.id] == nil }
    lazyStart = near.count
    near += behind.filter { indices[$0.id] == nil }
    ids = known.union(recent.lazy.map(\.id))
    ranks = near.indices.map { $0 < recent.count ? 60 - min($0, 30) : 0 }
    taken = Set(lazy.map { lazy in near.compactMap { lazy.row($0.id) } } ?? [])
    byKind = [:]
    for (row, entry) in near.enumerated() where knowsKinds {
      byKind[entry.kind.prefix, default: []].append(row)
    }
    index = nil
  }

  /// Replaces the lazy entries.
  mutating func put(_ lazy: LazyPaletteEntries) {
    self.lazy = lazy
    arrange()
  }

  /// Appends further entries, except duplicates.
  /// - Returns: whether there were any.
  mutating func add(_ more: [PaletteEntry]) -> Bool {
    let more = more.filter { !ids.contains($0.id) }
    guard !more.isEmpty else { return false }
    behind += more
    let recent = Set(memory.ids)
    guard !more.contains(where: { recent.contains($0.id) }) else {
      arrange()
      return true
    }
    // The index of the search is extended, not rebuilt.
    for (offset, entry) in more.enumerated() where knowsKinds {
      byKind[entry.kind.prefix, default: []].append(near.count + offset)
    }
    ids.formUnion(more.map(\.id))
    ranks += more.map { _ in 0 }
    near += more
    index?.append(more.lazy.map { Self.searched($0) })
    return true
  }

  /// True if a letter restricts the search to a kind that has entries.
  func isPrefix(_ letter: Character) -> Bool {
    byKind[letter] != nil || knowsKinds && lazy?.indices[letter]?.isEmpty == false
  }

  /// Returns the first entries of all, or of a kind.
  func first(_ limit: Int, of prefix: Character? = nil) -> [PaletteEntry] {
    let own = prefix.map { byKind[$0] ?? [] } ?? Array(near.indices)
    var entries = own.prefix { $0 < lazyStart }.prefix(limit).map { near[$0] }
    let lazyIndices = prefix.map { lazy?.indices[$0] ?? [] } ?? Array(0..<(lazy?.count ?? 0))
    for row in lazyIndices where !taken.contains(row) {
      guard entries.count < limit else { break }
      if let entry = lazy?.entry(row) { entries.append(entry) }
    }
    return entries
      + own.drop { $0 < lazyStart }.prefix(max(0, limit - entries.count)).map { near[$0] }
  }

  /// Returns the entries that match `text`, the best first.
  /// - Parameters:
  ///   - prefix: the prefix of their kind; `nil`: of any kind.
  ///   - trail: the matches of a query that is a prefix of this one.
  mutating func search(
    _ text: String, of prefix: Character?, after trail: Trail?, limit: Int
  ) -> (entries: [PaletteEntry], trail: Trail) {
    let index = index ?? FuzzyIndex(near.lazy.map { Self.searched($0) })
    self.index = index
    let matches = index.matches(text, among: trail?.near ?? prefix.map { byKind[$0] ?? [] })
    let lazyIndices =
      lazy.map { lazy in
        lazy.index.matches(
          text, among: trail?.lazyIndices ?? prefix.map { lazy.indices[$0] ?? [] }
        ).filter { !taken.contains($0.index) }
      } ?? []
    let count = lazy?.count ?? 0
    // By their index among all.
    var all: [FuzzyIndex.Match] = []
    all.reserveCapacity(matches.count + lazyIndices.count)
    func take(_ matches: some Sequence<FuzzyIndex.Match>, from start: Int, ranks: [Int]? = nil) {
      for match in matches {
        all.append(
          FuzzyIndex.Match(
            index: start + match.index, score: match.score + (ranks?[match.index] ?? 0),
            fit: match.fit))
      }
    }
    take(matches.prefix { $0.index < lazyStart }, from: 0, ranks: ranks)
    take(lazyIndices, from: lazyStart)
    take(matches.drop { $0.index < lazyStart }, from: count)
    let entries = FuzzyIndex.best(FuzzyIndex.meant(all), limit: limit)
      .compactMap { entry(at: $0.index) }
    return (entries, Trail(near: matches.map(\.index), lazyIndices: lazyIndices.map(\.index)))
  }

  /// - Parameter row: the index among all.
  private func entry(at row: Int) -> PaletteEntry? {
    if row < lazyStart { return near[row] }
    let count = lazy?.count ?? 0
    return row < lazyStart + count
      ? lazy?.entry(row - lazyStart) : near[row - count]
  }

  /// Returns the text that is searched.
  private static func searched(_ entry: PaletteEntry) -> String {
    var (title, detail) = (entry.title, entry.detail)
    // Optional arguments of a command belong to its detail, not to its name.
    if entry.kind == .command, let bracket = title.firstIndex(of: "[") {
      detail = title[bracket...] + " " + detail
      title = String(title[..<bracket]).trimmed
    }
    return "\(title)\(FuzzyIndex.divider)\(detail) \(entry.keywords)"
  }
}
