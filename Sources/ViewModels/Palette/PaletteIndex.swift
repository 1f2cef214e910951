/// The entries of a palette, in order of preference: recently used ones, those before the lazy
/// entries, the lazy entries, those after them.
///
/// The eager entries are few and are indexed at the first search; the lazy ones may be tens of
/// thousands and come indexed.
struct PaletteIndex {
  /// The matches of a query, the candidates of a longer one.
  struct Trail {
    let near: [Int]
    let shelved: [Int]
  }

  /// True if a prefix restricts the search to a kind.
  private let knowsKinds: Bool
  private let memory: RecentChoices
  private var before: [PaletteEntry]
  private var behind: [PaletteEntry]
  private var shelf: LazyPaletteEntries?

  // Derived from these.
  /// The recently used entries, those before the lazy ones, those after them.
  private var near: [PaletteEntry] = []
  /// The number of them that come before the lazy entries.
  private var shelfStart = 0
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
    before: [PaletteEntry], shelf: LazyPaletteEntries?, behind: [PaletteEntry],
    memory: RecentChoices,
    knowsKinds: Bool
  ) {
    (self.before, self.shelf, self.behind) = (before, shelf, behind)
    (self.memory, self.knowsKinds) = (memory, knowsKinds)
    arrange()
  }

  private mutating func arrange() {
    let places = Dictionary(
      uniqueKeysWithValues: memory.ids.enumerated().map { ($0.element, $0.offset) })
    let ranked = before + behind
    let known = Set(ranked.lazy.map(\.id))
    let shelved = memory.ids.lazy.filter { !known.contains($0) }
      .compactMap { [shelf] in shelf?.place($0) }.compactMap { [shelf] in shelf?.entry($0) }
    let recent = (ranked.filter { places[$0.id] != nil } + shelved)
      .sorted { (places[$0.id] ?? 0) < (places[$1.id] ?? 0) }
    near = recent + before.filter { places[$0.id] == nil }
    shelfStart = near.count
    near += behind.filter { places[$0.id] == nil }
    ids = known.union(recent.lazy.map(\.id))
    ranks = near.indices.map { $0 < recent.count ? 60 - min($0, 30) : 0 }
    taken = Set(shelf.map { shelf in near.compactMap { shelf.place($0.id) } } ?? [])
    byKind = [:]
    for (place, entry) in near.enumerated() where knowsKinds {
      byKind[entry.kind.prefix, default: []].append(place)
    }
    index = nil
  }

  /// Replaces the lazy entries.
  mutating func put(_ shelf: LazyPaletteEntries) {
    self.shelf = shelf
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
    byKind[letter] != nil || knowsKinds && shelf?.places[letter]?.isEmpty == false
  }

  /// Returns the first entries of all, or of a kind.
  func first(_ limit: Int, of prefix: Character? = nil) -> [PaletteEntry] {
    let own = prefix.map { byKind[$0] ?? [] } ?? Array(near.indices)
    var entries = own.prefix { $0 < shelfStart }.prefix(limit).map { near[$0] }
    let shelved = prefix.map { shelf?.places[$0] ?? [] } ?? Array(0..<(shelf?.count ?? 0))
    for place in shelved where !taken.contains(place) {
      guard entries.count < limit else { break }
      if let entry = shelf?.entry(place) { entries.append(entry) }
    }
    return entries
      + own.drop { $0 < shelfStart }.prefix(max(0, limit - entries.count)).map { near[$0] }
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
    let shelved =
      shelf.map { shelf in
        shelf.index.matches(
          text, among: trail?.shelved ?? prefix.map { shelf.places[$0] ?? [] }
        ).filter { !taken.contains($0.index) }
      } ?? []
    let count = shelf?.count ?? 0
    // By their index among all.
    var all: [FuzzyIndex.Match] = []
    all.reserveCapacity(matches.count + shelved.count)
    func take(_ matches: some Sequence<FuzzyIndex.Match>, from start: Int, ranks: [Int]? = nil) {
      for match in matches {
        all.append(
          FuzzyIndex.Match(
            index: start + match.index, score: match.score + (ranks?[match.index] ?? 0),
            fit: match.fit))
      }
    }
    take(matches.prefix { $0.index < shelfStart }, from: 0, ranks: ranks)
    take(shelved, from: shelfStart)
    take(matches.drop { $0.index < shelfStart }, from: count)
    let entries = FuzzyIndex.best(FuzzyIndex.meant(all), limit: limit)
      .compactMap { entry(at: $0.index) }
    return (entries, Trail(near: matches.map(\.index), shelved: shelved.map(\.index)))
  }

  /// - Parameter place: the index among all.
  private func entry(at place: Int) -> PaletteEntry? {
    if place < shelfStart { return near[place] }
    let count = shelf?.count ?? 0
    return place < shelfStart + count
      ? shelf?.entry(place - shelfStart) : near[place - count]
  }

  /// Returns the text that is searched.
  private static func searched(_ entry: PaletteEntry) -> String {
    var (title, detail) = (entry.title, entry.detail)
    // Optional arguments of a command belong to its detail, not to its name.
    if entry.kind == .command, let bracket = title.firstIndex(of: "[") {
      detail = title[bracket...] + " " + detail
      title = String(title[..<bracket]).trimmed
    }
    return "\(title)\(FuzzyIndex.divider)\(detail) \(entry.words)"
  }
}
