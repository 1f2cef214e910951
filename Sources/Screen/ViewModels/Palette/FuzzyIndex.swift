import NatterCore
import Text

/// An index of many short texts, searched by a few letters.
///
/// A text matches if it contains each word of the query, or, in its title, the letters of a word
/// close to each other and in order. It scores higher the more of them are adjacent, at word
/// beginnings, and near the start of the title. In the detail after the title only word beginnings
/// count: nearly any letters occur somewhere in a sentence. Case and diacritics are ignored.
/// Chinese titles are also found by the initials of their pinyin. A search of fifty thousand texts
/// takes a few milliseconds: all are in one array of bytes.
nonisolated package struct FuzzyIndex: Sendable {
  /// A matching text, by its index.
  package struct Match: Hashable, Sendable {
    package let index: Int
    /// The score: a higher one is a better match.
    package let score: Int
    package let fit: Fit
  }

  /// The quality of a match, that of the word which fits worst.
  package enum Fit: Int, Comparable, Sendable {
    /// Some letters are in the middle of a word, without the letter before them.
    case loose
    /// Adjacent in a word, or each at the beginning of a word.
    case close
    /// Adjacent, at the beginning of a word.
    case beginning

    package static func < (first: Fit, second: Fit) -> Bool { first.rawValue < second.rawValue }
  }

  /// The separator between a title and its detail.
  package static let divider: Character = "\u{1}"
  /// The largest distance in a title between the letters of a word, in bytes. It is the same for
  /// each word, so that a longer query finds nothing that a shorter one did not.
  private static let span = 16
  private static let dividerByte: UInt8 = 1

  private var bytes: [UInt8] = []
  private var starts: [Int] = [0]
  /// The length of each text's title.
  private var titles: [Int] = []

  /// - Parameter texts: titles, each followed by a `divider` and its detail, if any; in order of
  ///   preference: of two equal matches the earlier one comes first.
  package init(_ texts: some Sequence<String>) { append(texts) }

  /// Appends further texts.
  package mutating func append(_ texts: some Sequence<String>) {
    for text in texts {
      let start = bytes.count
      SearchForm.append(text, to: &bytes)
      let divider = bytes[start...].firstIndex(of: Self.dividerByte)
      titles.append((divider ?? bytes.count) - start)
      let initials = PinyinInitials.of(text.prefix { $0 != Self.divider })
      if !initials.isEmpty {
        bytes.append(divider == nil ? Self.dividerByte : UInt8(ascii: " "))
        bytes += initials
      }
      starts.append(bytes.count)
    }
  }

  /// The number of texts.
  package var count: Int { starts.count - 1 }

  /// Returns the texts that match `query`, in their own order.
  /// - Parameter candidates: the texts to search; `nil`: all. For a query with one more letter,
  ///   only the matches of the previous one have to be searched.
  package func matches(_ query: String, among candidates: [Int]? = nil) -> [Match] {
    let words = query.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
    guard !words.isEmpty else {
      return (candidates ?? Array(0..<count)).map { Match(index: $0, score: 0, fit: .beginning) }
    }
    let phrase = Array(words.joined(separator: [UInt8(ascii: " ")]))
    var found: [Match] = []
    bytes.withUnsafeBufferPointer { bytes in
      func look(at index: Int) {
        let text = UnsafeBufferPointer(rebasing: bytes[starts[index]..<starts[index + 1]])
        var score = 0
        var fit = Fit.beginning
        for word in words {
          guard let part = Self.score(of: word, in: text, title: titles[index]) else { return }
          score += part.score
          fit = min(fit, part.fit)
        }
        if words.count > 1, Self.contains(phrase, in: text) { score += 300 }
        found.append(Match(index: index, score: score, fit: fit))
      }
      if let candidates {
        for index in candidates { look(at: index) }
      } else {
        for index in 0..<count { look(at: index) }
      }
    }
    return found
  }

  /// Returns the texts that contain each word of `query` literally, in their own order.
  /// - Parameter candidates: the texts to search; `nil`: all.
  package func containing(_ query: String, among candidates: [Int]? = nil) -> [Int] {
    let words = query.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
    guard !words.isEmpty else { return candidates ?? Array(0..<count) }
    return bytes.withUnsafeBufferPointer { bytes in
      func has(_ index: Int) -> Bool {
        let text = UnsafeBufferPointer(rebasing: bytes[starts[index]..<starts[index + 1]])
        return words.allSatisfy { Self.contains($0, in: text) }
      }
      return candidates?.filter(has) ?? (0..<count).filter(has)
    }
  }

  private static func contains(_ word: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= word.count else { return false }
    let first = word[0]
    var next = 0
    while next + word.count <= text.count {
      if text[next] == first, matches(word, text, at: next) { return true }
      next += 1
    }
    return false
  }

  /// Returns `matches` without the loose ones, if some match at the beginning of a word.
  package static func meant(_ matches: [Match]) -> [Match] {
    matches.contains { $0.fit == .beginning } ? matches.filter { $0.fit > .loose } : matches
  }

  /// Returns the best of `matches`, the best first.
  package static func best(_ matches: [Match], limit: Int) -> [Match] {
    var best: [Match] = []
    for match in matches {
      if best.count == limit, let last = best.last, match.score <= last.score { continue }
      // Of equal matches the later one goes last.
      var index = best.count
      while index > 0, best[index - 1].score < match.score { index -= 1 }
      best.insert(match, at: index)
      if best.count > limit { best.removeLast() }
    }
    return best
  }

  /// Returns the score of `word` in `text`; `nil` if the letters are not in it.
  private static func score(
    of word: [UInt8], in text: UnsafeBufferPointer<UInt8>, title: Int
  ) -> (score: Int, fit: Fit)? {
    guard let first = word.first, text.count >= word.count else { return nil }
    var whole: (score: Int, fit: Fit)?
    var next = 0
    // Adjacent letters, best at the beginning of a word; scripts without spaces have no such
    // beginnings.
    while next + word.count <= text.count {
      if text[next] == first, matches(word, text, at: next) {
        let isStart = next == 0 || isBoundary(text[next - 1])
        if next < title || isStart || first >= 0x80 {
          let score =
            400 + (isStart ? 200 : 0) + (next == 0 ? 100 : 0) - (next < title ? 0 : 150)
            + (title == word.count ? 100 : 0) + (isWhole(word, in: text, at: next) ? 30 : 0)
            - min(next, 50) - min(title, 100) / 4
          whole = (max(whole?.score ?? .min, score), isStart ? .beginning : .close)
          if isStart { break }
        }
      }
      next += 1
    }
    return whole ?? scattered(word, in: text, title: title)
  }

  /// Returns the score of `word` whose letters are scattered over a title; `nil` if they are
  /// missing or too far apart.
  private static func scattered(
    _ word: [UInt8], in text: UnsafeBufferPointer<UInt8>, title: Int
  ) -> (score: Int, fit: Fit)? {
    for start in 0..<title where text[start] == word[0] {
      var score = 0
      var fit = Fit.close
      var position = start
      var last = start - 2
      for letter in word {
        while position < title, text[position] != letter { position += 1 }
        // A letter that does not follow this start follows no later one.
        guard position < title else { return nil }
        score += 2
        let isNext = position == last + 1
        let isStart = position == 0 || isBoundary(text[position - 1])
        if isNext { score += 10 }
        if isStart { score += 20 }
        if !isNext, !isStart { fit = .loose }
        last = position
        position += 1
      }
      if last - start < span { return (score - min(last, 50), fit) }
    }
    return nil
  }

  private static func matches(
    _ word: [UInt8], _ text: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Bool {
    for offset in word.indices where text[start + offset] != word[offset] { return false }
    return true
  }

  /// True if a word of `text` ends there: the exact command "/chat" precedes longer names.
  private static func isWhole(
    _ word: [UInt8], in text: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Bool {
    start + word.count == text.count || isBoundary(text[start + word.count])
  }

  private static func isBoundary(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      false
    default: true
    }
  }

  private static func folded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    SearchForm.append(text, to: &bytes)
    return bytes
  }
}
