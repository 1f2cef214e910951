import Foundation
import NatterCore
import SQLite
import Storage
import TestSupport
import XMPP

/// `natter-bench search`: the time from a query to its newest 50 matches in all conversations, for
/// terms of different frequency, beside reading all texts with LIKE (goals: 33 ms for terms in up
/// to 1 % of the messages, 150 ms for the most frequent one; a rare term takes at most 1.5 times as
/// long with ten times as many messages; the index is no larger than the texts).
struct SearchBenchmark {
  /// The number of measurements of a query: the median counts.
  private static let samples = 21
  private static let goals = (usual: 33.0, frequent: 150.0, growth: 1.5, size: 1.0)

  let sizes: [Int]

  /// Prints a table for each language.
  /// - Returns: whether all goals are met.
  func run() async throws -> Bool {
    let folder = try TemporaryFolder("search")
    defer { folder.remove() }
    var isMet = true
    for language in Language.all {
      var rare: [Double] = []
      for size in sizes {
        let path = folder.path("\(language.name)-\(size).db")
        let result = try await measure(language, size, at: path)
        rare.append(result.rare)
        isMet = isMet && result.isMet
      }
      if let first = rare.dropLast().last, let last = rare.last, first > 0 {
        // Times below a fraction of a millisecond are those of the call itself.
        let growth = max(last, 0.5) / max(first, 0.5)
        print("\(language.name): the rare term grows by \(String(format: "%.2f", growth))")
        isMet = isMet && growth <= Self.goals.growth
      }
    }
    return isMet
  }

  private func measure(
    _ language: Language, _ size: Int, at path: String
  ) async throws -> (rare: Double, isMet: Bool) {
    let account = try await AccountDatabase.open(at: path)
    let clock = ContinuousClock()
    let filling = try await clock.measure { try await fill(account, language, size) }
    while try await account.search.maintain() {}
    // Another connection, for what no store does.
    let database = try await Database.open(.file(path), migrator: Schema.migrator)
    let bytes = try await database.read { db in
      try db.firstRow(
        """
        SELECT (SELECT SUM(LENGTH(block)) FROM message_text_data),
          (SELECT SUM(LENGTH(CAST(body AS BLOB))) FROM message)
        """
      ) { ($0.double(0), $0.double(1)) }
    }
    let ratio = bytes.map { $0.0 / max(1, $0.1) } ?? 0
    print(
      "\(language.name), \(size) messages, stored in \(Self.text(filling.milliseconds)) ms, "
        + "index \(String(format: "%.2f", ratio)) times the texts")
    print(Table.row("term", "matches", "index ms", "p95 ms", "LIKE ms", "ratio"))
    var isMet = ratio <= Self.goals.size
    var rare = 0.0
    for (name, term) in language.terms {
      let query = SearchQuery(term)
      var times: [Double] = []
      var count = 0
      for _ in 0..<Self.samples {
        times.append(
          try await clock.measure {
            count = try await account.search.matches(of: query, limit: 50).count
          }.milliseconds)
      }
      let like = try await clock.measure {
        _ = try await database.read { db in
          try db.rows(
            "SELECT id FROM message WHERE body LIKE ? ORDER BY sent_at DESC LIMIT 50", "%\(term)%"
          ) { $0.int64(0) }
        }
      }.milliseconds
      let (median, late) = (
        Table.percentile(0.5, of: times), Table.percentile(0.95, of: times)
      )
      print(
        Table.row(
          "  \(name)", "\(count)", Self.text(median), Self.text(late), Self.text(like),
          String(format: "%.0f", like / max(median, 0.001))))
      isMet = isMet && late <= (name == "frequent" ? Self.goals.frequent : Self.goals.usual)
      if name == "rare" { rare = median }
    }
    await database.close()
    await account.close()
    return (rare, isMet)
  }

  private func fill(_ account: AccountDatabase, _ language: Language, _ size: Int) async throws {
    var generator = SplitMix(state: 1)
    for start in stride(from: 0, to: size, by: 5000) {
      let batch = (start..<min(start + 5000, size)).map { number in
        let contact = JID(local: "user\(number % 40)", domain: "example.org")
        return IncomingMessage(
          conversation: contact, sender: contact,
          body: language.text(number, of: size, using: &generator),
          sentAt: Date(timeIntervalSince1970: 1_600_000_000 + Double(number)),
          originID: "o\(number)")
      }
      _ = try await account.messages.insert(batch) { _ in false }
    }
  }

  private static func text(_ milliseconds: Double) -> String {
    String(format: milliseconds < 10 ? "%.2f" : "%.0f", milliseconds)
  }
}

extension SearchBenchmark {
  /// Made-up texts: terms as frequent as in a language, by Zipf's law.
  fileprivate struct Language {
    let name: String
    /// Terms by their frequency.
    let terms: [(name: String, text: String)]
    private let words: [String]
    private let separator: String
    private let length: Int
    /// The sums of the frequencies of the first terms.
    private let sums: [Double]

    static let all = [
      Language(
        "English", length: 11, separator: " ",
        words: (0..<30_000).map { number in
          let (letters, vowels) = (Array("bcdfghklmnprstvz"), Array("aeiou"))
          var (rest, word) = (number, "")
          repeat {
            word.append(letters[rest % letters.count])
            word.append(vowels[rest / letters.count % vowels.count])
            rest /= letters.count * vowels.count
          } while rest > 0
          return word
        }),
      Language(
        "Chinese", length: 20, separator: "",
        words: (0..<3_000).compactMap { Unicode.Scalar(0x4E00 + UInt32($0) * 6).map(String.init) }),
    ]

    private init(_ name: String, length: Int, separator: String, words: [String]) {
      self.name = name
      self.length = length
      self.separator = separator
      self.words = words
      var (sum, sums) = (0.0, [Double]())
      for rank in words.indices {
        sum += 1 / Double(rank + 1)
        sums.append(sum)
      }
      self.sums = sums
      // In English about a message in ten thousand, and one in a hundred, has these.
      terms = [
        ("rare", "xyzzy"), ("usual", words[min(words.count - 1, 90)]),
        ("two terms", "\(words[20])\(separator)\(words[30])"), ("frequent", words[0]),
      ]
    }

    func text(_ number: Int, of size: Int, using generator: inout SplitMix) -> String {
      var chosen = (0..<length).map { _ in word(using: &generator) }
      if number % (size / 20) == 0 { chosen[0] = "xyzzy" + separator }
      return chosen.joined(separator: separator)
    }

    private func word(using generator: inout SplitMix) -> String {
      let wanted = Double.random(in: 0..<(sums.last ?? 1), using: &generator)
      var (low, high) = (0, sums.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
      }
      return words[low]
    }
  }

  /// The same numbers at each run.
  fileprivate struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
      return bits ^ bits >> 31
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Double { self / .milliseconds(1) }
}
