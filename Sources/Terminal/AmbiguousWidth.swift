import Synchronization

/// Characters that are one column wide in most terminals and two in those that are set up for Chinese, Japanese or Korean text:
/// Greek and Cyrillic letters, some accented ones, curly quotes, lines (East Asian Ambiguous, UAX
/// #11; interface.md, "Widths").
///
/// Which of the two holds is a thing of the one terminal that a process has, and every width depends on it.
package enum AmbiguousWidth {
  private static let isTwo = Atomic<Bool>(false)

  /// Whether the terminal gives each of them two columns.
  package static var isWide: Bool {
    get { isTwo.load(ordering: .relaxed) }
    set { isTwo.store(newValue, ordering: .relaxed) }
  }

  /// The columns of one.
  static var columns: Int { isWide ? 2 : 1 }

  /// Whether a cluster is such a character, with or without marks.
  package static func isOne(_ cluster: Character) -> Bool {
    cluster.unicodeScalars.first.map { ScalarClass($0.value) == .ambiguous } ?? false
  }
}
