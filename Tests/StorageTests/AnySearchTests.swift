import NatterCore
import SQLite
import TestSupport
import Testing
import XMPP

@testable import Storage

/// Searches for texts that are made at random from what has a meaning in a search.
enum AnySearch {
  private static let parts = [
    "\"", "-", "*", "^", "(", ")", ":", "{", "}", "+", "NEAR", "NEAR(", "AND", "OR", "NOT", "a",
    "rose", "玫瑰", "的", " ", " ", "\u{0}", "\u{7}", "\u{301}", "%", "_", "\\", "'", ";", "from:",
    "in:", "has:", "has:link", "is:unread", "on:", "😀", "\u{200D}", "ไทย", "\u{FEFF}", "body:",
  ]

  /// Searches for `count` texts, one half of them before the messages are in the index.
  /// - Returns: the first text of each half that was an error, with the error.
  static func failures(of count: Int, seed: UInt64) async throws -> [String] {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert(
      [Sample.message("a rose", at: 1), Sample.message("玫瑰 \" - * ^ NEAR", at: 2)],
      countsUnread: { _ in false })
    var random = SeededGenerator(seed: seed)
    var failures: [String] = []
    for isIndexed in [false, true] {
      if isIndexed { try await account.database.write { try SearchIndex.takeUp(in: $0) } }
      for _ in 0..<count / 2 {
        let text = (0..<Int.random(in: 1...12, using: &random))
          .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        let query = SearchQuery(text)
        do {
          _ = try await account.search.matches(of: query, limit: 3)
          _ = try await account.search.messages(having: query, in: Sample.juliet, limit: 3)
        } catch {
          let scalars = text.unicodeScalars.map { $0.escaped(asASCII: true) }
          failures.append("\(scalars.joined()): \(error)")
          break
        }
      }
    }
    return failures
  }
}

@Suite(.long) struct AccountSearchLongTests {
  @Test(arguments: 2...9 as ClosedRange<UInt64>)
  func `a million texts are searched for, and none is an error`(seed: UInt64) async throws {
    #expect(try await AnySearch.failures(of: 125_000, seed: seed) == [])
  }
}
