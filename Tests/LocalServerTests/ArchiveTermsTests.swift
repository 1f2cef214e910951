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
    #expect(newest.messages.isEmpty && newest.searchedTo == 2)
    #expect(older.messages.map(\.id) == [1] && older.searchedTo == nil)
    await database.close()
  }

  @Test func `a page ends when so many messages were searched, wherever the terms are`()
    async throws
  {
    let database = try await Database.open(.memory, migrator: Schema.migrator)
    let pages = try await database.write { db in
      let archive = ArchiveStore(database: db)
      let alice = JID(local: "alice", domain: "localhost")
      for id in 1...Int64(10) {
        try archive.add(stanza(id == 2 ? "rose" : "text"), id, of: "bob@localhost", with: alice)
      }
      var filter = ArchiveFilter(owner: "bob@localhost")
      filter.terms = ArchiveTerms("rose")
      var pages: [ArchiveStore.Page] = []
      for (newest, searched) in [(true, 8), (true, 9), (true, 10), (false, 1), (false, 2)] {
        pages.append(try archive.page(filter, newest: newest, limit: 5, searching: searched))
      }
      // Without terms nothing is searched.
      filter.terms = nil
      pages.append(try archive.page(filter, newest: true, limit: 5, searching: 1))
      return pages
    }
    #expect(
      pages.map { $0.messages.map(\.id) } == [[], [2], [2], [], [2], [6, 7, 8, 9, 10]])
    #expect(pages.map(\.searchedTo) == [3, 2, nil, 1, 2, nil])
    await database.close()
  }
}
