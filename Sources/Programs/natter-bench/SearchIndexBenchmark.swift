import Foundation
import NatterCore
import SQLite
import Storage

/// The part of `natter-bench search` about the index: its size, building it in the background, what
/// it costs to store messages, and memory.
struct SearchIndexBenchmark {
  private static let goals = (size: 1.0, tokenizer: 1.2, burst: 1.1)
  /// The messages of a burst, and of one of its batches.
  private static let burst = (count: 5000, batch: 400)
  /// The pause of a user between two keys.
  private static let key = Duration.milliseconds(50)

  let account: AccountDatabase
  /// Another connection to the same file.
  let database: Database
  let corpus: SearchCorpus
  let isQuick: Bool

  /// Prints its rows.
  /// - Parameter memoryOfSearches: the bytes by which the searches before raised the memory.
  /// - Returns: whether the goals are met.
  func run(memoryOfSearches: Int) async throws -> Bool {
    let (index, texts) = try await sizes()
    print(Table.row("index and memory", "figure", "ratio", "goal"))
    var isMet = report("  index, MB", index / 1e6, index / max(1, texts), Self.goals.size)
    row("  texts, MB", texts / 1e6)
    row(
      "  memory of the searches, MB", Double(memoryOfSearches) / 1e6,
      Double(memoryOfSearches) / max(1, texts))
    let tokenizers = try await tokenizers()
    // unicode61 does not divide Chinese: it has far fewer tokens there, and finds no part of a
    // sentence.
    let goal = corpus.language.name == "English" ? Self.goals.tokenizer : nil
    isMet = report("  indexing 10,000, ms", tokenizers.own, tokenizers.ratio, goal) && isMet
    try await rebuild()
    let (alone, searched) = try await bursts()
    isMet =
      report("  5,000 arrive, searched, ms", searched, searched / alone, Self.goals.burst) && isMet
    return isQuick || isMet
  }

  /// Returns the bytes of the index and of the texts.
  private func sizes() async throws -> (index: Double, texts: Double) {
    try await database.read { db in
      try db.firstRow(
        """
        SELECT (SELECT SUM(LENGTH(block)) FROM message_text_data),
          (SELECT SUM(LENGTH(CAST(body AS BLOB))) FROM message)
        """
      ) { ($0.double(0), $0.double(1)) }
    } ?? (0, 0)
  }

  /// Indexes the newest 10,000 messages with Natter's tokenizer and with the one of FTS5, in
  /// alternation.
  private func tokenizers() async throws -> (own: Double, ratio: Double) {
    var times: [String: [Double]] = [:]
    let names = ["natter", "unicode61 remove_diacritics 2"]
    for _ in 0..<(isQuick ? 1 : 5) {
      for name in names {
        try await database.write { db in
          try db.runScript(
            """
            CREATE VIRTUAL TABLE measured USING fts5 (
              body, file_name, content = 'message', content_rowid = 'id', tokenize = '\(name)');
            """)
        }
        let time = try await Figure.milliseconds {
          try await database.write { db in
            try db.run(
              """
              INSERT INTO measured (rowid, body, file_name)
                SELECT id, body, file_name FROM message
                WHERE id > (SELECT MAX(id) FROM message) - 10000 ORDER BY id
              """)
          }
        }
        times[name, default: []].append(time)
        try await database.write { db in try db.runScript("DROP TABLE measured;") }
      }
    }
    let medians = names.map { Table.percentile(0.5, of: times[$0, default: [0]]) }
    return (medians[0], medians[0] / max(medians[1], 0.001))
  }

  /// Empties the index and builds it again, as after a change of the tokenizer.
  private func rebuild() async throws {
    try await database.write { db in
      try db.run("INSERT INTO message_text (message_text) VALUES ('delete-all')")
      try db.run(
        "UPDATE search_progress SET missing_up_to = (SELECT COALESCE(MAX(id), 0) FROM message)")
    }
    var steps: [Double] = []
    var isLeft = true
    while isLeft {
      steps.append(
        try await Figure.milliseconds { isLeft = try await account.search.maintain() })
    }
    row("  building it all again, s", steps.reduce(0, +) / 1000)
    row("  a message of that, µs", steps.reduce(0, +) * 1000 / Double(corpus.size))
    // Writers wait that long.
    row("  its steps, p50 ms", Table.percentile(0.5, of: steps))
    row("  its longest step, ms", Table.percentile(1, of: steps))
  }

  /// Stores messages as they arrive, without searches and while the user types in a search, in
  /// alternation.
  private func bursts() async throws -> (alone: Double, searched: Double) {
    var (alone, searched) = ([Double](), [Double]())
    let more = SearchCorpus(
      corpus.language, size: Self.burst.count, seed: corpus.seed &+ 1)
    for round in 0..<(isQuick ? 1 : 3) {
      alone.append(try await burst(more, "a\(round)"))
      let (search, text) = (account.search, corpus.language.terms[1].text)
      let typing = Task {
        while !Task.isCancelled {
          for index in text.indices {
            _ = try await search.matches(of: SearchQuery(String(text[...index])), limit: 50)
            // It waits for nothing: the load is that of a user who types.
            try await Task.sleep(for: Self.key)
          }
        }
      }
      let time = try await burst(more, "b\(round)")
      typing.cancel()
      _ = await typing.result
      searched.append(time)
    }
    return (Table.percentile(0.5, of: alone), Table.percentile(0.5, of: searched))
  }

  private func burst(_ more: SearchCorpus, _ prefix: String) async throws -> Double {
    var (number, time) = (0, 0.0)
    try await more.forEachBatch(of: Self.burst.batch) { lines in
      let messages = lines.enumerated().map { index, line in
        var message = line.message(number + index)
        message.originID = "\(prefix)\(number + index)"
        return message
      }
      number += lines.count
      time += try await Figure.milliseconds {
        _ = try await account.messages.insert(messages) { _ in true }
      }
    }
    return time
  }

  private func row(_ name: String, _ figure: Double, _ ratio: Double? = nil) {
    print(Table.row(name, Figure.text(figure), ratio.map(Figure.ratio) ?? "-"))
  }

  private func report(_ name: String, _ figure: Double, _ ratio: Double, _ goal: Double?) -> Bool {
    print(
      Table.row(name, Figure.text(figure), Figure.ratio(ratio), goal.map(Figure.ratio) ?? "-"))
    return goal.map { ratio <= $0 } ?? true
  }
}
