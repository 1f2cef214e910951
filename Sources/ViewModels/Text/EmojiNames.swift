/// The names of emoji: what `:smi` can become, and what stands for one where emoji are not drawn.
nonisolated package enum EmojiNames {
  /// An emoji and one of its names.
  package struct Match: Hashable, Sendable {
    package let emoji: String
    /// Without the colons.
    package let name: String
  }

  /// Every emoji with its names, the one that stands for it first.
  package static var all: [(emoji: String, names: [String])] {
    entries.map { ($0.emoji, $0.names.map(String.init)) }
  }

  /// The same, those that are used most before the others: somebody who has used none yet begins with them.
  package static var byUse: [(emoji: String, names: [String])] {
    let all = all
    return common.compactMap { emoji in all.first { $0.emoji == emoji } }
      + all.filter { !common.contains($0.emoji) }
  }

  private static let common: [String] = [
    "👍", "❤", "😂", "😊", "🎉", "🙏", "😢", "😮", "🔥", "😍", "🤔", "👏", "😅", "😭", "🙂", "😉", "👀",
    "👎", "😎", "💯",
  ]

  /// Emoji with a name that begins so, or has a word that does; the shortest names first.
  package static func matching(_ text: some StringProtocol, limit: Int = 50) -> [Match] {
    let wanted = text.lowercased()
    guard !wanted.isEmpty else { return [] }
    let inner = "_" + wanted
    var found: [(rank: Int, match: Match)] = []
    for entry in entries {
      let begins = entry.names.first { $0.hasPrefix(wanted) }
      guard let name = begins ?? entry.names.first(where: { $0.contains(inner) }) else { continue }
      // What begins so comes before what only has such a word.
      let rank = (begins == nil ? 1000 : 0) + name.utf8.count
      found.append((rank, Match(emoji: entry.emoji, name: String(name))))
    }
    return found.sorted { ($0.rank, $0.match.name) < ($1.rank, $1.match.name) }
      .prefix(limit).map(\.match)
  }

  /// The emoji that `text` is, or names: `👍`, `:thumbs_up:`, `+1`; `nil` when it is none.
  package static func emoji(from text: String) -> String? {
    let isNamed = text.count > 2 && text.hasPrefix(":") && text.hasSuffix(":")
    let name = (isNamed ? String(text.dropFirst().dropLast()) : text).lowercased()
      .replacing(" ", with: "_")
    if let entry = entries.first(where: { $0.names.contains(Substring(name)) }) {
      return entry.emoji
    }
    let isEmoji =
      text.count == 1
      && text.unicodeScalars.contains {
        $0.value >= 0x80 && $0.properties.isEmoji || $0.value == 0xFE0F
      }
    return isEmoji ? text : nil
  }

  /// `text` with a name in colons for each emoji in it: `:thumbs_up:`.
  package static func spelledOut(_ text: String) -> String {
    // Nothing below U+2300 is one, and most text is below.
    guard text.utf8.contains(where: { $0 >= 0xE2 }) else { return text }
    var result = ""
    for character in text {
      if let name = name(of: character) { result += name } else { result.append(character) }
    }
    return result
  }

  /// What stands for a cluster: names for emoji, however many are joined in it; `nil` for other text.
  private static func name(of cluster: Character) -> String? {
    let scalars = cluster.unicodeScalars.filter { !isModifier($0.value) }
    guard let first = scalars.first,
      first.value >= 0x2300 || scalars.count < cluster.unicodeScalars.count
    else { return nil }
    if scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }), scalars.count == 2 {
      let letters = scalars.compactMap { Unicode.Scalar($0.value - 0x1F1E6 + 0x61) }
      return ":flag_" + String(String.UnicodeScalarView(letters)) + ":"
    }
    var names = ""
    var isEmoji = false
    for scalar in scalars {
      if let name = namesByScalar[scalar] {
        names += ":\(name):"
        isEmoji = true
      } else {
        names.unicodeScalars.append(scalar)
      }
    }
    // A keycap is its digit.
    return isEmoji || first.value < 0x80 ? names : nil
  }

  /// Joiners, variation selectors, skin tones, keycaps, tags: they change an emoji and are none.
  private static func isModifier(_ value: UInt32) -> Bool {
    switch value {
    case 0x200D, 0xFE0E, 0xFE0F, 0x20E3, 0x1F3FB...0x1F3FF, 0xE0020...0xE007F: true
    default: false
    }
  }

  private struct Entry: Sendable {
    let emoji: String
    let names: [Substring]
  }

  /// Read when the first of them is asked for.
  private static let entries: [Entry] = emojiTable.split(whereSeparator: \.isWhitespace).compactMap
  { word in
    guard let emoji = word.first else { return nil }
    return Entry(emoji: String(emoji), names: word.dropFirst().split(separator: ","))
  }

  private static let namesByScalar: [Unicode.Scalar: Substring] = Dictionary(
    entries.compactMap { entry in
      entry.emoji.unicodeScalars.first.flatMap { scalar in entry.names.first.map { (scalar, $0) } }
    }, uniquingKeysWith: { first, _ in first })
}
