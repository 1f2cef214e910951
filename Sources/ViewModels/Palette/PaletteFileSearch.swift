import NatterCore

/// The files of the palette: the last ones from the start, and of all the others in the database those whose names have a word
/// that is typed.
///
/// What is typed never waits for the disk: each answer joins what is shown when it comes, and while one is being looked for
/// only the last that was typed meanwhile is looked for next.
final class PaletteFileSearch {
  /// How many are there from the start: any letters find them.
  static let firstLimit = 1000
  /// How many more a word brings, the newest.
  static let limit = 100

  private let history: any FileHistoryReading
  private let lifetime: Lifetime
  private let entry: (OfferedFile) -> PaletteEntry?
  private weak var palette: PaletteViewModel?
  /// Whether there are no others than those that were read first.
  private var hasAll = false
  /// What was typed last, until it is looked for.
  private var wanted: String?
  private var isLooking = false

  /// - Parameter entry: makes a row of a file; `nil` where nobody looks any more.
  init(
    _ history: any FileHistoryReading, lifetime: Lifetime, palette: PaletteViewModel,
    entry: @escaping (OfferedFile) -> PaletteEntry?
  ) {
    (self.history, self.lifetime, self.palette) = (history, lifetime, palette)
    self.entry = entry
  }

  /// Reads the first ones.
  func begin() {
    isLooking = true
    lifetime.aside { [weak self] in
      guard let self else { return }
      // Whoever looks for something else is not told of it; the list of files tells.
      let files = try? await history.files(FileFilter(), at: .newest, limit: Self.firstLimit)
      hasAll = files.map { $0.count < Self.firstLimit } ?? true
      take(files ?? [])
      await lookOn()
    }
  }

  /// Looks in all of them for what was typed.
  func look(for query: String) {
    wanted = query
    guard !isLooking, !hasAll else { return }
    isLooking = true
    lifetime.aside { [weak self] in await self?.lookOn() }
  }

  private func lookOn() async {
    while !hasAll, let query = wanted {
      wanted = nil
      // A single letter is in nearly every name.
      let words = query.split(whereSeparator: \.isWhitespace).map(String.init)
        .filter { $0.utf8.count > 1 }
      for word in words where wanted == nil {
        take(
          (try? await history.files(FileFilter(text: word), at: .newest, limit: Self.limit)) ?? [])
      }
    }
    isLooking = false
  }

  private func take(_ files: [OfferedFile]) { palette?.add(files.compactMap { entry($0) }) }
}
