import Foundation
import NatterCore
import SQLite
import Storage
import TestSupport
import XMPP

/// `natter-bench search`: the search in all conversations of an account, in English and Chinese,
/// beside `grep` over profanity's logs of the same messages and beside LIKE over the same table.
///
/// Goals: 33 ms (95 % of the searches) from a key to the list for terms in up to 1 % of the
/// messages, 150 ms for all others; a rare term takes at most 1.5 times as long with ten times as
/// many messages; the index is no larger than the texts, and is built in at most 1.2 times the time
/// of FTS5's own tokenizer; messages that arrive are stored as fast while the user searches.
struct SearchBenchmark {
  /// Milliseconds, and a ratio.
  private static let goals = (usual: 33.0, any: 150.0, growth: 1.5)
  /// The rows of a list of matches, as on the screen.
  private static let rows = 50

  let options: Options

  struct Options {
    var sizes = [10_000, 100_000, 1_000_000]
    var seed: UInt64 = 1
    /// Indicates whether only the results are judged, and the times are not.
    var isQuick = false
    /// The number of measurements of a query.
    var samples: Int { isQuick ? 3 : 21 }

    /// Reads `[SIZE...] [--seed N] [--quick]`.
    init(arguments: [String]) {
      seed = StartBenchmark.value("--seed", arguments).flatMap { UInt64($0) } ?? seed
      isQuick = arguments.contains("--quick")
      let words = arguments.indices.filter { $0 == 0 || arguments[$0 - 1] != "--seed" }
      let given = words.compactMap { Int(arguments[$0]) }
        .filter { $0 >= SearchCorpus.rareMessages }.sorted()
      sizes = given.isEmpty ? (isQuick ? [2000] : sizes) : given
    }
  }

  /// Prints a table for each language and size.
  /// - Returns: whether all goals are met; of a quick run, whether the results are right.
  func run() async throws -> Bool {
    var isMet = true
    for language in SearchLanguage.all {
      var rare: [Double] = []
      for size in options.sizes {
        let corpus = SearchCorpus(language, size: size, seed: options.seed)
        let result = try await measure(corpus)
        rare.append(result.rare)
        isMet = isMet && result.isMet
      }
      if let first = rare.dropLast().last, let last = rare.last {
        // Times below a fraction of a millisecond are those of the call itself.
        let growth = max(last, 0.5) / max(first, 0.5)
        print(
          "\(language.name): the rare term grows by \(Figure.ratio(growth)) "
            + "(goal: \(Self.goals.growth))")
        isMet = isMet && (options.isQuick || growth <= Self.goals.growth)
      }
    }
    print(isMet ? "all goals are met" : "NOT all goals are met")
    return isMet
  }

  /// A corpus, stored in the ways that are compared.
  private struct Subject {
    let corpus: SearchCorpus
    let account: AccountDatabase
    let logs: ProfanityLogFolder
    let like: LikeSearch
  }

  private func measure(_ corpus: SearchCorpus) async throws -> (rare: Double, isMet: Bool) {
    let folder = try TemporaryFolder("search")
    defer { folder.remove() }
    let path = folder.path("account.db")
    let account = try await AccountDatabase.open(at: path)
    let logs = ProfanityLogFolder(in: folder.url("chatlogs"))
    for (jid, isRoom) in corpus.conversations {
      _ = try await account.conversations.open(jid, kind: isRoom ? .room : .direct)
    }
    var stored = 0
    try await corpus.forEachBatch(of: 5000) { lines in
      let messages = lines.enumerated().map { $1.message(stored + $0) }
      _ = try await account.messages.insert(messages) { _ in false }
      try logs.append(lines)
      stored += lines.count
    }
    while try await account.search.maintain() {}
    // Another connection, for what no store does.
    let database = try await Database.open(.file(path), migrator: Schema.migrator)
    let subject = Subject(
      corpus: corpus, account: account, logs: logs, like: LikeSearch(database: database))
    print("\(corpus.language.name), \(corpus.size) messages, seed \(corpus.seed)")
    let before = try ResidentMemory.resetPeak()
    let (rare, areFound) = try await terms(subject)
    var isMet = areFound
    try await filters(subject)
    let memory = max(0, try ResidentMemory.peak() - before)
    let index = SearchIndexBenchmark(
      account: account, database: database, corpus: corpus, isQuick: options.isQuick)
    isMet = try await index.run(memoryOfSearches: memory) && isMet
    await database.close()
    await account.close()
    return (rare, isMet)
  }

  /// Measures each term at once and as it is typed, and counting its matches.
  private func terms(_ subject: Subject) async throws -> (rare: Double, isMet: Bool) {
    print(
      Table.row(
        "first result", "matches", "p50 ms", "p95 ms", "LIKE ms", "grep ms", "/ LIKE", "/ grep"))
    var (isMet, rare) = (true, 0.0)
    for (name, text) in subject.corpus.language.terms {
      let query = SearchQuery(name == "phrase" ? "\"\(text)\"" : text)
      let (times, count) = try await times(of: [query], subject)
      let like = try await fewTimes { _ = try await subject.like.newest(text) }
      var lines = 0
      let grep = try await fewTimes { lines = try subject.logs.find(text).count }
      row("  \(name)", count, times, like, grep)
      let late = Table.percentile(0.95, of: times)
      let goal = name == "frequent" ? Self.goals.any : Self.goals.usual
      isMet = isMet && (options.isQuick || late <= goal)
      if name == "rare" {
        rare = Table.percentile(0.5, of: times)
        // All ways find the same messages, or the times mean nothing.
        let found = [count, lines, try await subject.like.count(text)]
        if found.contains(where: { $0 != SearchCorpus.rareMessages }) {
          print("  WRONG: \(found) of \(SearchCorpus.rareMessages) messages found")
          isMet = false
        }
      }
    }
    for (name, text) in subject.corpus.language.terms where name == "rare" || name == "usual" {
      let typed = text.indices.map { SearchQuery(String(text[...$0])) }
      let (times, count) = try await times(of: typed, subject)
      let like = try await fewTimes {
        for query in typed { _ = try await subject.like.newest(query.text) }
      }
      let grep = try await fewTimes {
        for query in typed { _ = try subject.logs.find(query.text) }
      }
      let keys = Double(typed.count)
      row("  typing, \(name), a key", count, times, like / keys, grep / keys)
      let late = Table.percentile(0.95, of: times)
      isMet = isMet && (options.isQuick || late <= Self.goals.any)
    }
    for (name, text) in subject.corpus.language.terms where name == "rare" || name == "frequent" {
      let query = SearchQuery(text)
      var (times, count) = ([Double](), 0)
      for _ in 0..<options.samples {
        times.append(
          try await Figure.milliseconds {
            count = try await subject.account.search.matches(of: query, limit: 1).count
          })
      }
      let like = try await fewTimes { _ = try await subject.like.count(text) }
      let grep = try await fewTimes { _ = try subject.logs.find(text) }
      row("  count, \(name)", count, times, like, grep)
    }
    return (rare, isMet)
  }

  /// Measures filters, with the usual term and alone. grep finds only what the path of a file says.
  private func filters(_ subject: Subject) async throws {
    let (corpus, like) = (subject.corpus, subject.like)
    let term = corpus.language.terms[1].text
    let contact = corpus.conversations[1].jid
    let vocabulary = SearchVocabulary { $0 == "half" ? corpus.middle..<Date.distantFuture : nil }
    let microseconds = Int(corpus.middle.timeIntervalSince1970 * 1e6)
    let parts: [(name: String, filter: String, condition: String, conversation: JID?)] = [
      (
        "in:", "in:\(contact.local ?? "")@",
        "conversation = (SELECT id FROM conversation WHERE jid = '\(contact)')", contact
      ),
      ("from:me", "from:me", "is_outgoing = 1", nil),
      ("before:", "before:half", "sent_at < \(microseconds)", nil),
      ("has:link", "has:link", "body LIKE '%://%'", nil),
    ]
    for (name, filter, condition, conversation) in parts {
      for text in [term, ""] {
        let query = SearchQuery("\(text) \(filter)", vocabulary: vocabulary)
        let (times, count) = try await times(of: [query], subject)
        let slow = try await fewTimes { _ = try await like.newest(text, where: condition) }
        var grep: Double?
        if let conversation {
          grep = try await fewTimes { _ = try subject.logs.find(text, in: conversation) }
        }
        row("  \(name)\(text.isEmpty ? " alone" : " and usual")", count, times, slow, grep)
      }
    }
  }

  /// Measures each of several searches up to its list, one after the other.
  /// - Returns: the milliseconds of all, and the number of matches of the last one.
  private func times(of queries: [SearchQuery], _ subject: Subject) async throws
    -> ([Double], count: Int)
  {
    var (times, count) = ([Double](), 0)
    for _ in 0..<options.samples {
      for query in queries {
        times.append(
          try await Figure.milliseconds {
            let found = try await subject.account.search.matches(of: query, limit: Self.rows)
            for match in found.matches {
              _ = try await subject.account.timeline.storedMessage(match.id)
            }
            count = found.count
          })
      }
    }
    return (times, count)
  }

  /// Returns the median of a few measurements, in milliseconds: those of the rivals can be long.
  private func fewTimes(_ body: () async throws -> Void) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<(options.isQuick ? 1 : 3) { times.append(try await Figure.milliseconds(body)) }
    return Table.percentile(0.5, of: times)
  }

  private func row(
    _ name: String, _ count: Int, _ times: [Double], _ like: Double, _ grep: Double?
  ) {
    let median = max(Table.percentile(0.5, of: times), 0.001)
    print(
      Table.row(
        name, count == SearchMatches.countLimit ? "\(count - 1)+" : "\(count)",
        Figure.text(median), Figure.text(Table.percentile(0.95, of: times)), Figure.text(like),
        grep.map(Figure.text) ?? "-", Figure.ratio(like / median),
        grep.map { Figure.ratio($0 / median) } ?? "-"))
  }
}

/// The form of figures of `natter-bench search`.
enum Figure {
  /// Milliseconds.
  static func text(_ milliseconds: Double) -> String {
    String(format: milliseconds < 10 ? "%.2f" : "%.0f", milliseconds)
  }

  static func ratio(_ ratio: Double) -> String {
    String(format: ratio < 10 ? "%.2f" : "%.0f", ratio)
  }

  static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
    try await ContinuousClock().measure { try await body() } / .milliseconds(1)
  }
}
