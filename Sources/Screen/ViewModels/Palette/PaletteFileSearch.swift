import NatterCore

/// The files of the palette: the newest ones from the start, and from the database those whose
/// names contain a word of the query.
///
/// Typing never waits for the disk: each answer joins the list when it arrives, and during a search
/// only the latest query is kept for the next one.
final class PaletteFileSearch {
  /// The number of files loaded at the start, which any letters find.
  static let firstLimit = 1000
  /// The highest number of files that a word adds, newest first.
  static let limit = 100

  private let history: any FileHistoryReading
  private let lifetime: Lifetime
  private let entry: (OfferedFile) -> PaletteEntry?
  private weak var palette: PaletteViewModel?
  /// True if the first files are all files.
  private var hasAll = false
  /// The latest query that has not been searched yet.
  private var wanted: String?
  private var isLooking = false

  /// - Parameter entry: makes an entry of a file; `nil` if the palette is gone.
  init(
    _ history: any FileHistoryReading, lifetime: Lifetime, palette: PaletteViewModel,
    entry: @escaping (OfferedFile) -> PaletteEntry?
  ) {
    (self.history, self.lifetime, self.palette) = (history, lifetime, palette)
    self.entry = entry
  }

  /// Loads the newest files.
  func begin() {
    isLooking = true
    lifetime.aside { [weak self] in
      guard let self else { return }
      // An error is not reported here, where the user may be searching something else; the list of
      // files reports it.
      let files = try? await history.files(FileFilter(), at: .newest, limit: Self.firstLimit)
      hasAll = files.map { $0.count < Self.firstLimit } ?? true
      take(files ?? [])
      await lookOn()
    }
  }

  /// Searches all files for the query.
  func look(for query: String) {
    wanted = query
    guard !isLooking, !hasAll else { return }
    isLooking = true
    lifetime.aside { [weak self] in await self?.lookOn() }
  }

  private func lookOn() async {
    while !hasAll, let query = wanted {
      wanted = nil
      // A single letter occurs in nearly every name.
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
