import NatterCore

/// The names of emoji in a language: completions of `:smi`, and replacements where emoji cannot be
/// drawn.
///
/// The short English names work in every language.
nonisolated package struct EmojiNames: Sendable {
  /// An emoji and one of its names.
  package struct Match: Hashable, Sendable {
    package let emoji: String
    /// The name without the colons.
    package let name: String
  }

  private let language: Language

  /// - Parameter tag: the language (`fr`, `zh-Hans`); a language without names gets the English
  ///   ones.
  package init(tag: String) {
    language =
      switch tag.prefix(while: { $0 != "-" && $0 != "_" }) {
      case "fr": .french
      // The names are in simplified characters.
      case "zh" where !tag.contains("Hant"): .chinese
      default: .english
      }
  }

  /// Every emoji with its names, the main name first.
  var all: [(emoji: String, names: [String])] {
    table.entries.map { ($0.emoji, $0.names.map { String($0.shown) }) }
  }

  /// The same with the most common ones first, for a user who has not used any yet.
  package var byUse: [(emoji: String, names: [String])] {
    let all = all
    return Self.common.compactMap { emoji in all.first { $0.emoji == emoji } }
      + all.filter { !Self.common.contains($0.emoji) }
  }

  private static let common: [String] = [
    "👍", "❤", "😂", "😊", "🎉", "🙏", "😢", "😮", "🔥", "😍", "🤔", "👏", "😅", "😭", "🙂", "😉", "👀",
    "👎", "😎", "💯",
  ]

  /// Returns emoji with a name, or a word of a name, that has that prefix; the shortest names
  /// first, those of the language before the English ones. Diacritics may be omitted.
  package func matching(_ text: some StringProtocol, limit: Int = 50) -> [Match] {
    let wanted = EmojiName.form(of: text)
    guard !wanted.isEmpty else { return [] }
    var found: [(rank: Int, match: Match)] = []
    for entry in table.entries {
      guard let (rank, name) = entry.fit(to: wanted, anywhere: language == .chinese) else {
        continue
      }
      found.append((rank, Match(emoji: entry.emoji, name: String(name.shown))))
    }
    return found.sorted { ($0.rank, $0.match.name) < ($1.rank, $1.match.name) }
      .prefix(limit).map(\.match)
  }

  /// Returns the emoji that `text` is, or names: `👍`, `:thumbs_up:`, `+1`; `nil` if it is neither.
  package func emoji(from text: String) -> String? {
    let isNamed =
      text.count > 2
      && [text.first, text.last].allSatisfy { $0.map(Self.colons.contains) ?? false }
    let name = EmojiName.form(of: isNamed ? text.dropFirst().dropLast() : text[...])
    if let entry = table.entries.first(where: { $0.own.contains { $0.form == name } })
      ?? table.entries.first(where: { $0.english.contains { $0.form == name } })
    {
      return entry.emoji
    }
    let isEmoji =
      text.count == 1
      && text.unicodeScalars.contains {
        $0.value >= 0x80 && $0.properties.isEmoji || $0.value == 0xFE0F
      }
    return isEmoji ? text : nil
  }

  /// The characters before a name: the second is on Chinese keyboards.
  package static let colons: Set<Character> = [":", "："]

  /// Returns `text` with each emoji replaced by a name in colons: `:thumbs_up:`.
  package func spelledOut(_ text: String) -> String {
    // No emoji is below U+2300, and most text is.
    guard text.utf8.contains(where: { $0 >= 0xE2 }) else { return text }
    var result = ""
    for character in text {
      if let name = name(of: character) { result += name } else { result.append(character) }
    }
    return result
  }

  /// Returns the names that replace a cluster, for all emoji joined in it; `nil` for other text.
  private func name(of cluster: Character) -> String? {
    let scalars = cluster.unicodeScalars.filter { !Self.isModifier($0.value) }
    guard let first = scalars.first,
      first.value >= 0x2300 || scalars.count < cluster.unicodeScalars.count
    else { return nil }
    if scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }), scalars.count == 2 {
      let letters = scalars.compactMap { Unicode.Scalar($0.value - 0x1F1E6 + 0x61) }
      return ":\(language.flag)_" + String(String.UnicodeScalarView(letters)) + ":"
    }
    var names = ""
    var isEmoji = false
    for scalar in scalars {
      if let name = table.byScalar[scalar] {
        names += ":\(name):"
        isEmoji = true
      } else {
        names.unicodeScalars.append(scalar)
      }
    }
    // A keycap becomes its digit.
    return isEmoji || first.value < 0x80 ? names : nil
  }

  /// Joiners, variation selectors, skin tones, keycaps, tags: they modify an emoji.
  private static func isModifier(_ value: UInt32) -> Bool {
    switch value {
    case 0x200D, 0xFE0E, 0xFE0F, 0x20E3, 0x1F3FB...0x1F3FF, 0xE0020...0xE007F: true
    default: false
    }
  }

  private enum Language {
    case english, french, chinese

    /// The name of a flag, before the letters of its country.
    var flag: String {
      switch self {
      case .english: "flag"
      case .french: "drapeau"
      case .chinese: "旗"
      }
    }
  }

  private var table: EmojiTable {
    switch language {
    case .english: .english
    case .french: .french
    case .chinese: .chinese
    }
  }
}

/// A name, in its displayed form and its search form.
nonisolated private struct EmojiName: Sendable {
  let shown: Substring
  let form: String

  init(_ shown: Substring) {
    self.shown = shown
    form = Self.form(of: shown)
  }

  /// Returns the search form: one kind of separator, without diacritics.
  static func form(of name: some StringProtocol) -> String {
    var form = String.UnicodeScalarView()
    for scalar in SearchForm.of(name).unicodeScalars {
      // A minus before a number is not a separator.
      let isBetween =
        scalar == " " || scalar == "'" || scalar == "’" || scalar == "-" && !form.isEmpty
      form.append(isBetween ? "_" : scalar)
    }
    return String(form)
  }
}

/// An emoji with its names and keywords.
nonisolated private struct EmojiEntry: Sendable {
  let emoji: String
  /// The names in the language, the main one first.
  let own: [EmojiName]
  /// The English names, in another language's table.
  let english: [EmojiName]
  /// Keywords that lead to it without being names, in search form.
  let keywords: [String]

  var names: [EmojiName] { own + english }

  /// Returns how well a name fits the query, the lower the better, and which one; `nil` if none
  /// fits.
  /// - Parameter anywhere: true if the names have no separators, as in Chinese.
  func fit(to wanted: String, anywhere: Bool) -> (rank: Int, name: EmojiName)? {
    let inner = anywhere ? wanted : "_" + wanted
    let ways: [() -> EmojiName?] = [
      { names.first { $0.form == wanted } },
      { own.first { $0.form.hasPrefix(wanted) } },
      { keywords.contains { $0.hasPrefix(wanted) } ? own.first : nil },
      { own.first { $0.form.contains(inner) } },
      { english.first { $0.form.hasPrefix(wanted) } },
      { english.first { $0.form.contains("_" + wanted) } },
    ]
    for (level, way) in ways.enumerated() {
      if let name = way() { return (level * 1000 + name.form.utf8.count, name) }
    }
    return nil
  }
}

/// The emoji of one language, parsed at the first use.
nonisolated private struct EmojiTable: Sendable {
  let entries: [EmojiEntry]
  let byScalar: [Unicode.Scalar: Substring]

  static let english = EmojiTable(names: read(emojiTable))
  static let french = EmojiTable(words: frenchEmojiTable)
  static let chinese = EmojiTable(words: chineseEmojiTable)

  private init(_ entries: [EmojiEntry]) {
    self.entries = entries
    byScalar = Dictionary(
      entries.compactMap { entry in
        entry.emoji.unicodeScalars.first.flatMap { scalar in
          entry.names.first.map { (scalar, $0.shown) }
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  private init(names: [(emoji: Character, words: [Substring])]) {
    self.init(
      names.map {
        EmojiEntry(
          emoji: String($0.emoji), own: $0.words.map(EmojiName.init), english: [], keywords: [])
      })
  }

  /// - Parameter words: the name and the keywords of each emoji; one that is missing has its
  ///   English names.
  private init(words: String) {
    let known = Dictionary(Self.read(words), uniquingKeysWith: { first, _ in first })
    self.init(
      Self.english.entries.map { entry in
        guard let emoji = entry.emoji.first, let words = known[emoji] else { return entry }
        return EmojiEntry(
          emoji: entry.emoji, own: words.prefix(1).map(EmojiName.init), english: entry.own,
          keywords: words.dropFirst().map { EmojiName.form(of: $0) })
      })
  }

  private static func read(_ table: String) -> [(emoji: Character, words: [Substring])] {
    table.split(whereSeparator: \.isWhitespace).compactMap { word in
      word.first.map { ($0, word.dropFirst().split(separator: ",")) }
    }
  }
}
