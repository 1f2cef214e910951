import ViewModels

/// What a key costs in the palette: how long the finder takes over many entries for each letter that is typed.
struct PaletteBenchmark {
  let entries: Int

  func run() {
    let first = ["Anna", "Bob", "Chloe", "Dave", "Eva", "Finn", "Greta", "Hugo", "Ines", "Karl"]
    let last = ["Martin", "Dupont", "Wei", "Moreau", "Voss", "Lindqvist", "Okafor", "Rossi"]
    let texts = (0..<entries).map { number in
      "\(first[number % first.count]) \(last[number / first.count % last.count]) \(number) "
        + "user\(number)@server\(number % 97).example.org"
    }
    let clock = ContinuousClock()
    var index = FuzzyIndex([])
    let built = clock.measure { index = FuzzyIndex(texts) }
    print("\(entries) entries, made ready in \(built)")
    for query in ["a", "an", "anna v", "user4", "zzz"] {
      var best: [FuzzyIndex.Match] = []
      let times = (0..<5).map { _ in
        clock.measure { best = FuzzyIndex.best(index.matches(query), limit: 100) }
      }.sorted()
      let shown = best.first.map { texts[$0.index] } ?? "nothing"
      print("  \(query): \(times[2]), first: \(shown)")
    }
  }
}
