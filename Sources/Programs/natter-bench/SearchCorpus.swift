import Foundation
import NatterCore
import XMPP

/// Made-up conversations for `natter-bench search`: terms and conversations are as frequent as in
/// real ones, by Zipf's law. The same seed makes the same messages.
struct SearchCorpus {
  /// The account of the messages.
  static let account = JID(local: "romeo", domain: "example.org")
  /// In how many messages the rare term is, in every corpus.
  static let rareMessages = 20
  private static let start = 1_600_000_000.0
  /// Seconds from one message to the next.
  private static let interval = 30.0

  /// A message and where it was said.
  struct Line {
    let conversation: JID
    let isRoom: Bool
    /// The name of the sender; `nil`: the user.
    let nick: String?
    let text: String
    let sentAt: Date
  }

  let language: SearchLanguage
  /// The number of messages.
  let size: Int
  let seed: UInt64
  /// The conversations with the most messages first: contacts, and a room after every fourth.
  let conversations: [(jid: JID, isRoom: Bool)]
  private let frequencies: ZipfTable

  init(_ language: SearchLanguage, size: Int, seed: UInt64) {
    self.language = language
    self.size = size
    self.seed = seed
    let count = min(200, max(10, size / 200))
    conversations = (0..<count).map { number in
      number % 5 == 4
        ? (JID(local: "room\(number)", domain: "rooms.example.org"), true)
        : (JID(local: "contact\(number)", domain: "example.org"), false)
    }
    frequencies = ZipfTable(count)
  }

  /// The end of the first half of the time.
  var middle: Date { date(of: size / 2) }

  /// Makes the messages in the order of their times, and passes them on in batches.
  func forEachBatch(of count: Int, _ take: ([Line]) async throws -> Void) async throws {
    var generator = SplitMix(state: seed)
    for first in stride(from: 0, to: size, by: count) {
      try await take((first..<min(first + count, size)).map { line($0, using: &generator) })
    }
  }

  private func line(_ number: Int, using generator: inout SplitMix) -> Line {
    let (jid, isRoom) = conversations[frequencies.index(using: &generator)]
    let isOwn = Int.random(in: 0..<(isRoom ? 8 : 2), using: &generator) == 0
    let nick = isRoom ? "nick\(Int.random(in: 0..<30, using: &generator))" : jid.local ?? ""
    // Spread over all of the time.
    let isRare = number % max(1, size / Self.rareMessages) == 0
    return Line(
      conversation: jid, isRoom: isRoom, nick: isOwn ? nil : nick,
      text: language.text(isRare: isRare, using: &generator), sentAt: date(of: number))
  }

  private func date(of number: Int) -> Date {
    Date(timeIntervalSince1970: Self.start + Self.interval * Double(number))
  }
}

extension SearchCorpus.Line {
  /// The message as it arrives.
  /// - Parameter number: of the message, which no other one has.
  func message(_ number: Int) -> IncomingMessage {
    let sender =
      isRoom ? conversation.with(resource: nick ?? "romeo") ?? conversation : conversation
    return IncomingMessage(
      conversation: conversation, sender: nick == nil && !isRoom ? SearchCorpus.account : sender,
      direction: nick == nil ? .outgoing : .incoming, body: text, sentAt: sentAt,
      originID: "o\(number)")
  }
}

/// A language of made-up texts.
struct SearchLanguage {
  let name: String
  /// Terms by how many messages have them.
  let terms: [(name: String, text: String)]
  private let words: [String]
  private let separator: String
  /// The mean number of terms in a text.
  private let length: Int
  private let frequencies: ZipfTable

  static let all = [english, chinese]

  /// About five letters a term, and eleven terms a text: the most frequent ones are the shortest.
  private static var english: Self {
    let (letters, vowels) = (Array("bcdfghklmnprstvz"), Array("aeiou"))
    let words = (0..<30_000).map { number in
      var (rest, word) = (number, "")
      repeat {
        word.append(letters[rest % letters.count])
        word.append(vowels[rest / letters.count % vowels.count])
        rest /= letters.count * vowels.count
      } while rest > 0
      return word + ["", "n", "st", "ring"][number % 4]
    }
    return Self(
      "English", length: 11, separator: " ", words: words,
      terms: [
        // About one message in a hundred has the usual one.
        ("rare", "xyzzy"), ("usual", words[98]), ("phrase", "\(words[5]) \(words[9])"),
        ("frequent", words[0]),
      ])
  }

  /// About twenty ideographs a text, of three thousand.
  private static var chinese: Self {
    let words = (0..<3_000).compactMap {
      Unicode.Scalar(0x4E00 + UInt32($0) * 6).map(String.init)
    }
    return Self(
      "Chinese", length: 20, separator: "", words: words,
      // The rare one's ideographs are not among the others.
      terms: [
        ("rare", "罕见"), ("usual", words[250]), ("phrase", words[5] + words[9]),
        ("frequent", words[0]),
      ])
  }

  private init(
    _ name: String, length: Int, separator: String, words: [String],
    terms: [(name: String, text: String)]
  ) {
    self.name = name
    self.length = length
    self.separator = separator
    self.words = words
    self.terms = terms
    frequencies = ZipfTable(words.count)
  }

  /// Returns a text: most are short, some are several times as long. One in forty has a link.
  func text(isRare: Bool, using generator: inout SplitMix) -> String {
    let share = Double.random(in: 0.02..<1, using: &generator)
    // An exponential distribution.
    let count = max(1, Int(-log(share) * Double(length)))
    var chosen = (0..<count).map { _ in words[frequencies.index(using: &generator)] }
    if isRare { chosen[count / 2] = terms[0].text }
    if Int.random(in: 0..<40, using: &generator) == 0 {
      chosen.append("\(separator.isEmpty ? " " : "")https://example.org/\(count)")
    }
    return chosen.joined(separator: separator)
  }
}

/// Ranks that are as frequent as those of a language: the second one half as often as the first
/// one, the third one a third as often.
struct ZipfTable {
  /// The sums of the frequencies of the first ranks.
  private let sums: [Double]

  init(_ count: Int) {
    var sum = 0.0
    sums = (0..<count).map { rank in
      sum += 1 / Double(rank + 1)
      return sum
    }
  }

  func index(using generator: inout SplitMix) -> Int {
    let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The same numbers at each run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
