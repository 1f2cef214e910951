/// Many short texts, and which of them somebody means by a few letters.
///
/// A text is meant when it has each word of the query, or, in its title, the letters of a word near each other in their
/// order. It is the likelier the more of them stand together, at the beginnings of words, near the beginning. Of what is said
/// behind the title only the beginnings of words count: nearly any letters are somewhere in a sentence. Neither case nor the
/// marks on letters count.
/// Chinese titles are found by the initials of their pinyin, too. Fifty thousand texts are searched in a few milliseconds:
/// all lie in one array of bytes.
nonisolated package struct FuzzyIndex: Sendable {
  /// A text that has the letters, by its place among those given.
  package struct Match: Hashable, Sendable {
    package let index: Int
    /// The higher the likelier.
    package let score: Int
    package let fit: Fit
  }

  /// How a text has the letters of a query, by the word that it has worst.
  package enum Fit: Int, Comparable, Sendable {
    /// Some are in the middle of words, without the one before.
    case loose
    /// Together in a word, or each at the beginning of one.
    case close
    /// Together, at the beginning of a word.
    case beginning

    package static func < (first: Fit, second: Fit) -> Bool { first.rawValue < second.rawValue }
  }

  /// What stands between the title and what is said of it.
  package static let divider: Character = "\u{1}"
  /// How many bytes of a title the letters of a word may be scattered over: the same for each word, so that a longer query
  /// finds nothing that a shorter one did not.
  private static let span = 16
  private static let dividerByte: UInt8 = 1

  private var bytes: [UInt8] = []
  private var starts: [Int] = [0]
  /// Where the title of each text ends.
  private var titles: [Int] = []

  /// - Parameter texts: titles, each with what is said of it behind a `divider`, where there is anything; in the order of preference: of two that are as likely the earlier comes first.
  package init(_ texts: some Sequence<String>) { append(texts) }

  /// Puts further texts behind those there are.
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

  /// How many texts there are.
  package var count: Int { starts.count - 1 }

  /// The texts that have the letters of `query`, in their own order.
  /// - Parameter candidates: those to look at; `nil`: all. Whoever adds a letter to a query need only look at what was
  ///   found before.
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

  /// The texts that have each word of `query` in them as it stands, in their own order.
  /// - Parameter candidates: those to look at; `nil`: all.
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

  /// `matches` without those that have the letters by chance, where some begin with them.
  package static func meant(_ matches: [Match]) -> [Match] {
    matches.contains { $0.fit == .beginning } ? matches.filter { $0.fit > .loose } : matches
  }

  /// The likeliest of `matches`, the likeliest first.
  package static func best(_ matches: [Match], limit: Int) -> [Match] {
    var best: [Match] = []
    for match in matches {
      if best.count == limit, let last = best.last, match.score <= last.score { continue }
      // What comes later goes behind what is as likely.
      var place = best.count
      while place > 0, best[place - 1].score < match.score { place -= 1 }
      best.insert(match, at: place)
      if best.count > limit { best.removeLast() }
    }
    return best
  }

  /// How likely `word` is meant by `text`; `nil` when the letters are not in it.
  private static func score(
    of word: [UInt8], in text: UnsafeBufferPointer<UInt8>, title: Int
  ) -> (score: Int, fit: Fit)? {
    guard let first = word.first, text.count >= word.count else { return nil }
    var whole: (score: Int, fit: Fit)?
    var next = 0
    // The letters together, best at the beginning of a word; scripts that write no blanks have no such beginnings.
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

  /// How likely `word` is meant by a title that has its letters apart; `nil` when it has them not, or too far apart.
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
        // What is not behind this beginning is behind no later one.
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

  /// Whether a word of `text` ends with it: "/chat" is that command before it is the beginning of another one.
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
