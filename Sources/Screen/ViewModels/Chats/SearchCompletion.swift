import NatterCore
import Text

/// The completion of filters in a typed search: their names, and the values that are known, in the
/// user's language and in English.
struct SearchCompletion {
  /// The fewest letters of a name: a shorter word may be searched for.
  private static let leastLetters = 3

  /// The quotation marks of a search.
  private static let quotes: Set<Character> = ["\"", "\u{201C}", "\u{201D}"]

  /// The names of each filter, those of the user's language first.
  private let filters: [SearchVocabulary.Filter: [String]]
  /// The values of each filter.
  private let values: [SearchVocabulary.Filter: [String]]

  /// - Parameter names: the names of conversations, the most likely first.
  init(_ localizer: Localizer, names: [String]) {
    func own(_ key: String) -> [String] {
      localizer(key).lowercased().split(separator: ",").map { String($0).trimmed }
    }
    filters = Dictionary(
      uniqueKeysWithValues: SearchVocabulary.Filter.allCases.map {
        ($0, own("find.filter.\($0.rawValue)") + [$0.rawValue])
      })
    let days = own("find.today") + own("find.yesterday") + ["today", "yesterday"]
    values = [
      .from: own("find.me") + ["me"] + names, .in: names, .before: days, .after: days, .on: days,
      .has: SearchQuery.Attachment.allCases.flatMap { own("find.has.\($0.rawValue)") }
        + SearchQuery.Attachment.allCases.map(\.rawValue), .is: own("find.unread") + ["unread"],
    ]
  }

  /// Completes the word that ends at the cursor.
  /// - Parameter cursor: graphemes before the cursor.
  /// - Returns: the query and the cursor behind the completed word; `nil` if there is nothing to
  ///   complete.
  func completed(_ query: String, cursor: Int) -> (query: String, cursor: Int)? {
    let before = query.prefix(cursor)
    let rest = query.dropFirst(cursor)
    guard rest.first.map(\.isWhitespace) ?? true else { return nil }
    let start = before.lastIndex(where: \.isWhitespace).map { before.index(after: $0) }
    let word = before[(start ?? before.startIndex)...]
    guard !word.isEmpty, let whole = whole(String(word)) else { return nil }
    let head = String(before[..<word.startIndex]) + whole
    return (head + rest, head.count)
  }

  /// Returns the completed word; `nil` if there is none, or the word is complete.
  private func whole(_ word: String) -> String? {
    guard let colon = word.firstIndex(where: { $0 == ":" || $0 == "\u{FF1A}" }) else {
      return name(word)
    }
    let name = word[..<colon].lowercased()
    guard let filter = filters.first(where: { $0.value.contains(name) })?.key else { return nil }
    let typed = SearchForm.of(word[word.index(after: colon)...])
    // Any name could follow, but the other filters have few values.
    if typed.isEmpty, filter == .from || filter == .in { return nil }
    let value = values[filter]?.first {
      let form = SearchForm.of($0)
      return form.hasPrefix(typed) && form != typed
    }
    guard let value, values[filter]?.contains(where: { SearchForm.of($0) == typed }) != true else {
      return nil
    }
    let isOneWord = !value.contains { $0.isWhitespace || Self.quotes.contains($0) }
    guard !isOneWord else { return String(word[...colon]) + value }
    // A quotation mark would end the value; a part of a name finds it, too.
    let part = String(value.prefix { !Self.quotes.contains($0) }).trimmed
    guard SearchForm.of(part).hasPrefix(typed), !part.isEmpty else { return nil }
    return String(word[...colon]) + "\"\(part)\""
  }

  private func name(_ word: String) -> String? {
    let typed = SearchForm.of(word)
    // A single ideograph says as much as some letters.
    let isIdeographic = word.unicodeScalars.allSatisfy { $0.value >= 0x2E80 }
    guard isIdeographic || word.count >= Self.leastLetters else { return nil }
    let found = SearchVocabulary.Filter.allCases.compactMap { filter in
      filters[filter]?.first { SearchForm.of($0).hasPrefix(typed) && SearchForm.of($0) != typed }
    }
    // A word that is a filter's name, or the beginning of several, is left alone.
    guard found.count == 1, let name = found.first,
      !filters.values.contains(where: { $0.contains { SearchForm.of($0) == typed } })
    else { return nil }
    return name + ":"
  }
}
