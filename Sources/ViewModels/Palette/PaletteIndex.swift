/// All that a palette can find, in the order of preference: what was used lately, the entries before the shelf, the shelf, those
/// behind it.
///
/// Entries are few and are got ready when they are first looked through; a shelf may have tens of thousands and comes ready.
struct PaletteIndex {
  /// What a query found: where a longer one looks.
  struct Trail {
    let near: [Int]
    let shelved: [Int]
  }

  /// Whether a sign narrows to a kind.
  private let knowsKinds: Bool
  private let memory: RecentChoices
  private var before: [PaletteEntry]
  private var behind: [PaletteEntry]
  private var shelf: LazyPaletteEntries?

  // Made of these.
  /// Those that were used lately, those before the shelf, those behind it.
  private var near: [PaletteEntry] = []
  /// How many of them come before the shelf.
  private var shelfStart = 0
  private var ids: Set<String> = []
  private var ranks: [Int] = []
  private var byKind: [Character: [Int]] = [:]
  private var index: FuzzyIndex?
  /// What of the shelf is among the near ones.
  private var taken: Set<Int> = []

  /// - Parameters:
  ///   - before: in the order of preference.
  ///   - behind: those after the shelf, likewise.
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

  /// Takes another shelf in the place of the one that was there.
  mutating func put(_ shelf: LazyPaletteEntries) {
    self.shelf = shelf
    arrange()
  }

  /// Puts further ones behind all the others, those that are there left out.
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
    // What was made ready for the search stays.
    for (offset, entry) in more.enumerated() where knowsKinds {
      byKind[entry.kind.prefix, default: []].append(near.count + offset)
    }
    ids.formUnion(more.map(\.id))
    ranks += more.map { _ in 0 }
    near += more
    index?.append(more.lazy.map { Self.searched($0) })
    return true
  }

  /// Whether a letter narrows to a kind of what there is.
  func isPrefix(_ letter: Character) -> Bool {
    byKind[letter] != nil || knowsKinds && shelf?.places[letter]?.isEmpty == false
  }

  /// The first of all, or of a kind.
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

  /// Those that have the letters of `text`, the likeliest first.
  /// - Parameters:
  ///   - prefix: that of the kind they are of; `nil`: of any.
  ///   - trail: what a query that is the beginning of this one found.
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
    // By their places among all.
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

  /// - Parameter place: among all.
  private func entry(at place: Int) -> PaletteEntry? {
    if place < shelfStart { return near[place] }
    let count = shelf?.count ?? 0
    return place < shelfStart + count
      ? shelf?.entry(place - shelfStart) : near[place - count]
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
}
