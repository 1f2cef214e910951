import Terminal

/// The width that the user gave a list at the side, for each class of screen widths: a width that
/// suits a wide screen need not suit a narrow one (interface.md, "Layout").
nonisolated package struct ListWidths: Hashable, Sendable {
  /// The least columns of the screens of each class, the narrowest first; where lists are pages,
  /// they have no width.
  private static let classes = [ScreenLayout.narrowWidth, 100, ScreenLayout.detailsWidth]

  private var columns: [Int: Int] = [:]

  package init() {}

  /// Reads the format of `text`; skips invalid parts.
  package init(_ text: String?) {
    for part in text?.split(separator: " ") ?? [] {
      let numbers = part.split(separator: ":").compactMap { Int($0) }
      guard numbers.count == 2, Self.classes.contains(numbers[0]), numbers[1] > 0 else { continue }
      columns[numbers[0]] = numbers[1]
    }
  }

  /// The remembered form: `60:18 116:40`; `nil`: no width was ever chosen.
  package var text: String? {
    let parts = columns.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The columns of the list on screens of the class of `size`; `nil`: the default.
  package subscript(size: Size) -> Int? {
    get { Self.classes.last { $0 <= size.columns }.flatMap { columns[$0] } }
    set {
      guard let least = Self.classes.last(where: { $0 <= size.columns }) else { return }
      columns[least] = newValue
    }
  }
}
