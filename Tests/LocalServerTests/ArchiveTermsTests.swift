import SQLite
import Testing
import XMPP

@testable import LocalServer

@Suite struct ArchiveTermsTests {
  private func stanza(_ text: String) -> String { "<message><body>\(text)</body></message>" }

  /// A mark joins the character before it, which is escaped, or a blank, all the same.
  @Test func `terms are divided and compared by scalars`() throws {
    let escaped = try #require(ArchiveTerms("<\u{301}b"))
    #expect(escaped.inXML == [])
    #expect(escaped.areIn(stanza("a &lt;\u{301}b")))
    let words = ["One", "\u{301}two", "\\\u{301}"]
    let terms = try #require(ArchiveTerms(words.joined(separator: " ")))
    #expect(terms.inXML == words.map { $0.lowercased() })
    #expect(ArchiveTerms(" \n") == nil)
  }

  @Test func `only the beginning of a long term counts, and the first of many terms`() throws {
    let long = try #require(ArchiveTerms(String(repeating: "a", count: 100_000)))
    #expect(long.areIn(stanza(String(repeating: "A", count: 64))))
    #expect(!long.areIn(stanza(String(repeating: "A", count: 63))))
    let many = try #require(ArchiveTerms((1...100_000).map { "t\($0)" }.joined(separator: " ")))
    #expect(many.inXML == (1...16).map { "t\($0)" })
  }

  /// The XML of each message has the name of an element that is searched for.
  @Test func `a page says when messages behind it were not looked at`() async throws {
    let database = try await Database.open(.memory, migrator: Schema.migrator)
    let (newest, older) = try await database.write { db in
      let archive = ArchiveStore(database: db)
      let alice = JID(local: "alice", domain: "localhost")
      for id in 1...Int64(ArchiveTerms.mostRead + 1) {
        try archive.add(stanza(id == 1 ? "a Body" : "text"), id, of: "bob@localhost", with: alice)
      }
      var filter = ArchiveFilter(owner: "bob@localhost")
      filter.terms = ArchiveTerms("body")
      let newest = try archive.page(filter, newest: true, limit: 10)
      filter.before = 3
      return (newest, try archive.page(filter, newest: true, limit: 10))
    }
    #expect(newest.messages.isEmpty && newest.isCut)
    #expect(older.messages.map(\.id) == [1] && !older.isCut)
    await database.close()
  }
}
