import Synchronization

/// Characters that are one column wide in most terminals, and two in terminals configured for
/// Chinese, Japanese or Korean text: Greek and Cyrillic letters, some accented ones, curly quotes,
/// lines (East Asian Ambiguous, UAX #11; interface.md, "Widths").
///
/// The width is a property of the process's only terminal, and every width depends on it.
package enum AmbiguousWidth {
  private static let isTwo = Atomic<Bool>(false)

  /// Indicates whether the terminal draws each of them in two columns.
  package static var isWide: Bool {
    get { isTwo.load(ordering: .relaxed) }
    set { isTwo.store(newValue, ordering: .relaxed) }
  }

  /// The columns of such a character.
  static var columns: Int { isWide ? 2 : 1 }

  /// Returns whether a cluster is such a character, with or without marks.
  package static func isOne(_ cluster: Character) -> Bool {
    cluster.unicodeScalars.first.map { ScalarClass($0.value) == .ambiguous } ?? false
  }
}
