import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Changes that were pending in files of earlier versions.
@Suite struct PendingChangesMigrationTests {
  private static let nodes = (feed: Feed.personalNode, calendar: XEP0471Event.personalNode)

  private static func jid(_ local: String) -> JID { JID(local: local, domain: "example.org") }

  private static func refusal(_ text: String) -> StatusNotice {
    StatusNotice(.error, "stanza.forbidden", ["text": text])
  }

  /// Opens a file of the version before pending changes had a table, after `change`.
  private static func account(
    in scratch: Scratch, _ change: @Sendable (DatabaseConnection) throws -> Void
  ) async throws -> AccountDatabase {
    try await AccountDatabaseTests.account(from: 4, in: scratch, change)
  }

  @Test(arguments: 1...Schema.migrator.version)
  func `changes of the profile, follows, posts and the presence survive`(version: Int) async throws
  {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(version, in: scratch)
    let account = try await AccountDatabase.open(at: path)
    let changes = account.pendingChanges
    #expect(
      try await changes.pending(CardChange.self) == [StoredChange(CardChange(.city, "Mantua"))])
    #expect(
      try await changes.pending(VisibilityChange.self) == [StoredChange(VisibilityChange(.owner))])
    let picture = OwnPicture(
      id: "ab", base64: "AAAA", mediaType: "image/png", byteCount: 3, width: nil, height: 7)
    #expect(
      try await changes.pending(PictureChange.self) == [StoredChange(PictureChange.show(picture))])
    #expect(
      try await changes.pending(FollowChange.self).map(\.change) == [
        FollowChange(.calendar, Self.jid("tybalt"), Self.nodes.calendar, follows: false),
        FollowChange(.feed, Self.jid("nurse"), Self.nodes.feed, follows: true),
        FollowChange(.rooms, JID(local: nil, domain: "rooms.verona.example"), follows: true),
      ])
    let comments = Feed.ID(Self.jid("juliet"), "urn:xmpp:microblog:0:comments/i1")
    #expect(
      try await changes.drafts() == [
        FeedDraft(
          id: .init(feed: comments, item: "d2"), text: "As sweet", written: ColumnCoding.date(8),
          isComment: true, refusal: Self.refusal("no")),
        FeedDraft(
          id: .init(feed: Feed.ID(Self.jid("romeo")), item: "d1"), text: "It waits",
          written: ColumnCoding.date(9), isComment: false),
      ])
    #expect(
      try await account.presence.storedPresence()
        == StoredPresence(
          own: OwnPresence(availability: .away, status: "tea", priority: -3),
          requests: [Self.jid("benvolio"), Self.jid("paris")]))
  }

  @Test(arguments: 1...Schema.migrator.version)
  func `changes of contacts and of events survive`(version: Int) async throws {
    let scratch = try Scratch()
    let path = try await AccountDatabaseTests.oldFile(version, in: scratch)
    let account = try await AccountDatabase.open(at: path)
    let contacts = try await account.roster.contactChanges()
    #expect(contacts.map(\.jid) == [Self.jid("juliet"), Self.jid("paris")])
    #expect(contacts.map(\.operation) == [.rename("Jule"), .add(name: nil, invitation: nil)])
    #expect(contacts.map(\.isWaiting) == [true, false])
    #expect(
      try await account.roster.acquaintances(among: [Self.jid("paris"), Self.jid("pari")])
        == [Self.jid("paris")])
    let events = try await account.events.listing().events
    #expect(events.map(\.id.item) == ["ball", "feast", "duel", "exile"])
    #expect(events.map(\.change) == [nil, nil, .put, .take])
    #expect(
      events.map(\.refusal) == [nil, nil, Self.refusal("by order of the Prince"), nil])
    #expect(events.map(\.answer) == [.yes, .maybe, nil, nil])
    #expect(events.map(\.answerWaits) == [false, true, false, false])
    for event in events { #expect(try await account.events.event(event.id) == event) }
  }

  @Test func `a contact's change of each kind is what it was, in order`() async throws {
    let scratch = try Scratch()
    let rows: [(String, String, String?, String?, ContactChange.Operation?)] = [
      ("entry", "add", "Count", nil, .add(name: "Count", invitation: nil)),
      ("entry", "add", "C.\nIt is me.\nC.", "token", nil),
      ("entry", "add", "\nNo name", nil, .add(name: nil, invitation: nil, message: "No name")),
      ("entry", "remove", nil, nil, .remove),
      ("name", "rename", nil, nil, .rename(nil)),
      (
        "groups", "regroup", "A\\nB \"q\"\nC\\\n\u{e9}/x", nil,
        .regroup(["A\\nB \"q\"", "C\\", "\u{e9}/x"])
      ),
      ("groups", "regroup", "", nil, .regroup([])),
      ("presence", "ask", nil, nil, .ask),
      ("answer", "approve", nil, nil, .approve),
      ("answer", "deny", nil, nil, .deny),
      ("blocking", "block", nil, nil, .block(nil)),
      (
        "blocking", "block", "two\nlines", "abuse",
        .block(AbuseReport(reason: .abuse, text: "two\nlines"))
      ),
      ("blocking", "unblock", nil, nil, .unblock),
    ]
    let account = try await Self.account(in: scratch) { db in
      try db.run("DELETE FROM contact_change")
      for (index, row) in rows.enumerated() {
        try db.run(
          "INSERT INTO contact_change (jid, subject, wish, text, detail) VALUES (?, ?, ?, ?, ?)",
          "c\(index)@example.org", row.0, row.1, row.2, row.3)
      }
    }
    let changes = try await account.roster.contactChanges()
    #expect(changes.map(\.jid) == rows.indices.map { Self.jid("c\($0)") })
    for (change, row) in zip(changes, rows) {
      #expect(
        change.operation
          == row.4 ?? .add(name: "C.", invitation: "token", message: "It is me.\nC."))
    }
  }

  @Test func `a choice that was not made, and settings of other kinds, stay as they are`()
    async throws
  {
    let scratch = try Scratch()
    let account = try await Self.account(in: scratch) { db in
      try db.run("UPDATE profile_wish SET visibility = NULL, picture = 'hide'")
      try db.run("DELETE FROM setting WHERE key LIKE 'presence.%'")
      try db.run("INSERT INTO setting VALUES ('follow.nothing known', '1')")
    }
    #expect(try await account.pendingChanges.pending(VisibilityChange.self) == [])
    #expect(
      try await account.pendingChanges.pending(PictureChange.self) == [StoredChange(.hide)])
    #expect(try await account.presence.storedPresence() == StoredPresence())
    #expect(
      try await account.settings.values() == ["guide.seen": "1", "follow.nothing known": "1"])
  }

  /// No version has written them, but a file that cannot be opened would lose everything.
  @Test func `odd settings do not keep a file from being opened`() async throws {
    let scratch = try Scratch()
    let account = try await Self.account(in: scratch) { db in
      try db.run("DELETE FROM setting")
      for value in ["follow.feed nurse.example", "follow.feed nurse.example\t"] {
        try db.run("INSERT INTO setting VALUES (?, '1')", value)
      }
      for (jid, value) in [("a@b.example", "9223372036854775807"), ("b@b.example", "soon")] {
        try db.run("INSERT INTO setting VALUES (?, ?)", "presence.request " + jid, value)
      }
    }
    #expect(
      try await account.pendingChanges.pending(FollowChange.self).map(\.change) == [
        FollowChange(.feed, JID(local: nil, domain: "nurse.example"), follows: true)
      ])
    let requests = try await account.presence.storedPresence().requests
    #expect(requests.map(\.description) == ["a@b.example", "b@b.example"])
  }
}
