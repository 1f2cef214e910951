/// Many entries of the palette that are searched without being made: an entry is made of those that are shown.
package struct LazyPaletteEntries {
  /// The text of each that letters are looked for in; its places are the shelf's.
  let index: FuzzyIndex
  /// Which of them are of a kind, by the kind's prefix.
  let places: [Character: [Int]]
  /// Where an entry with that identity stands; `nil` where it is none of these.
  let place: (String) -> Int?
  /// Makes one; `nil` where what stood there is no more.
  let entry: (Int) -> PaletteEntry?

  var count: Int { index.count }
}
