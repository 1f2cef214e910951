/// Which row of a list is the first on the screen, kept so that the list moves no more than it must.
nonisolated package struct ListScroll: Hashable, Sendable {
  /// The first row shown.
  package private(set) var top = 0

  package init() {}

  /// Brings `marked` into sight, with the heading above it when it is the second of all.
  package mutating func show(_ marked: Int?, of count: Int, rows: Int) {
    guard rows > 0, count > rows else {
      top = 0
      return
    }
    if let marked {
      let first = marked == 1 ? 0 : marked
      if first < top { top = first }
      if marked >= top + rows { top = marked - rows + 1 }
    }
    top = max(0, min(top, count - rows))
  }
}
