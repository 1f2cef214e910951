/// Suggests corrections of misspelled names.
package enum Spelling {
  /// Returns the candidate nearest to `word`, if it is near enough to suggest.
  ///
  /// Counts missing, wrong, extra and swapped letters; at most one such error for up to four
  /// letters, two for longer names.
  package static func nearest(
    to word: String, among candidates: some Sequence<String>
  ) -> String? {
    let limit = word.count <= 4 ? 1 : 2
    var best: (word: String, slips: Int)?
    for candidate in candidates {
      let slips = distance(Array(word.lowercased()), Array(candidate.lowercased()))
      guard slips <= limit, slips < best?.slips ?? .max else { continue }
      best = (candidate, slips)
    }
    return best?.word
  }

  /// Returns the optimal string alignment distance.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if abs(a.count - b.count) > 2 { return .max }
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
