import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct BookmarkStoreTests {
  private let refusal = StatusNotice(.error, "stanza.forbidden", ["text": "no"])

  private func kinds(_ account: AccountDatabase) async throws -> [String] {
    try await account.database.read { db in
      try db.rows("SELECT kind || ' ' || subject || ' ' || state FROM pending_change ORDER BY kind")
      { $0.string(0) }
    }
  }

  @Test func `what a bookmark waits with is stored with the other pending changes`() async throws {
    let account = try await AccountDatabase.inMemory()
    let store = account.bookmarks
    var bookmark = Bookmark(room: Sample.room, nick: "al", autojoins: true)
    bookmark.noteChange()
    for rule in [XEP0492Notification.never, nil] {
      bookmark.choose(rule)
      try await store.save(bookmark)
      #expect(try await store.bookmarks() == [bookmark])
    }
    #expect(
      try await kinds(account)
        == ["bookmark \(Sample.room) waiting", "notifications \(Sample.room) waiting"])
    bookmark.refusal = refusal
    try await store.save(bookmark)
    #expect(try await store.bookmarks() == [bookmark])
    #expect(
      try await kinds(account)
        == ["bookmark \(Sample.room) refused", "notifications \(Sample.room) refused"])
    // Made again, it waits again.
    bookmark.noteChange()
    try await store.save(bookmark)
    #expect(try await store.bookmarks() == [bookmark])
    (bookmark.isChanged, bookmark.rule) = (false, nil)
    try await store.save(bookmark)
    #expect(try await store.bookmarks() == [bookmark])
    #expect(try await kinds(account) == [])
  }
}
