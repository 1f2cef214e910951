import NatterCore

/// The entries of all help pages in search form: made once, for every key of a query.
nonisolated struct HelpSearch {
  private struct Row {
    let entry: HelpEntry
    /// The key, the description and the heading, as they are shown.
    let text: String
    /// The synonyms, each word after a space.
    let synonyms: String

    init(_ entry: HelpEntry, under heading: String) {
      self.entry = entry
      text = SearchForm.of(entry.term + " " + entry.text + " " + heading)
      synonyms = SearchForm.of(" " + entry.synonyms)
    }

    /// True if `word` is in the text, or a word of the synonyms begins with it. Scripts without
    /// spaces have no such beginnings.
    func has(_ word: String) -> Bool {
      if text.contains(word) || synonyms.contains(" " + word) { return true }
      return (word.utf8.first ?? 0) >= 0x80 && synonyms.contains(word)
    }
  }

  private let sections: [(heading: String, rows: [Row])]

  init(_ pages: [HelpPage]) {
    sections = pages.flatMap(\.sections).map { section in
      (
        heading: section.heading,
        rows: section.entries.map { Row($0, under: section.heading) }
      )
    }
  }

  /// Returns the entries that have every word of `query`, in their sections.
  /// - Parameter query: in search form.
  func sections(matching query: String) -> [HelpSection] {
    let words = query.split(separator: " ").map(String.init)
    return sections.compactMap { section in
      let found = section.rows.filter { row in words.allSatisfy { row.has($0) } }
      return found.isEmpty
        ? nil : HelpSection(heading: section.heading, entries: found.map(\.entry))
    }
  }
}
