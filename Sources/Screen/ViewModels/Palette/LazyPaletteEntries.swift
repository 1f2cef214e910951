/// Many palette entries that are searched before they exist: an entry is made only to be shown.
package struct LazyPaletteEntries {
  /// The searched texts; its indices are those of the entries.
  let index: FuzzyIndex
  /// The indices of the entries of a kind, by the kind's prefix.
  let indices: [Character: [Int]]
  /// Returns the index of the entry with that identifier; `nil` if it is none of these.
  let row: (String) -> Int?
  /// Makes an entry; `nil` if its subject no longer exists.
  let entry: (Int) -> PaletteEntry?

  var count: Int { index.count }
}
