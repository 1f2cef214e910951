import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct PendingChangeStoreTests {
  private let picture = OwnPicture(
    id: "ab", base64: "AA+/", mediaType: "image/png", byteCount: 3, width: nil, height: 7)

  @Test func `the last change of a subject counts, and keeps the row of the first`() async throws {
    let changes = try await AccountDatabase.inMemory().pendingChanges
    try await changes.keep(CardChange(.city, "Verona"))
    try await changes.keep(CardChange(.country, "Italy"))
    try await changes.keep(CardChange(.city, ""))
    #expect(
      try await changes.pending(CardChange.self).map(\.change)
        == [CardChange(.city, ""), CardChange(.country, "Italy")])
    try await changes.drop(CardChange.self, of: CardChange(.city, "any").subject)
    #expect(
      try await changes.pending(CardChange.self) == [StoredChange(CardChange(.country, "Italy"))])
    // Another kind has subjects of its own.
    #expect(try await changes.pending(VisibilityChange.self) == [])
  }

  @Test func `a change that was replaced while it was sent waits on`() async throws {
    let changes = try await AccountDatabase.inMemory().pendingChanges
    let (sent, later) = (PictureChange.show(picture), PictureChange.hide)
    try await changes.keep(sent)
    #expect(try await changes.pending(PictureChange.self).map(\.change) == [sent])
    try await changes.keep(later)
    try await changes.settle(sent)
    #expect(try await changes.pending(PictureChange.self).map(\.change) == [later])
    try await changes.settle(later)
    #expect(try await changes.pending(PictureChange.self) == [])
  }

  @Test func `a refused change is kept with the reason, until it is made again`() async throws {
    let changes = try await AccountDatabase.inMemory().pendingChanges
    let change = VisibilityChange(.owner)
    let refusal = StatusNotice(.error, "stanza.forbidden", ["text": "Not \"here\"."])
    try await changes.keep(change, refusal: refusal)
    #expect(
      try await changes.pending(VisibilityChange.self) == [StoredChange(change, refusal: refusal)])
    try await changes.keep(change)
    #expect(try await changes.pending(VisibilityChange.self) == [StoredChange(change)])
  }

  @Test func `a change that cannot be read stays in the file`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.database.write { db in
      for payload in [#"{"field":"shoeSize","text":"42"}"#, "[]", "not JSON"] {
        try db.run(
          "INSERT INTO pending_change (kind, subject, payload) VALUES ('card', ?1, ?1)", payload)
      }
    }
    try await account.pendingChanges.keep(CardChange(.city, "Verona"))
    #expect(
      try await account.pendingChanges.pending(CardChange.self).map(\.change)
        == [CardChange(.city, "Verona")])
    let count = try await account.database.read { db in
      try db.firstRow("SELECT count(*) FROM pending_change") { $0.int(0) }
    }
    #expect(count == 4)
    #expect(
      try await account.pendingChanges.unreadableChanges(of: [.card, .picture])
        == [#"{"field":"shoeSize","text":"42"}"#, "[]", "not JSON"].map {
          UnreadableChange(.card, of: [$0])
        })
    #expect(try await account.pendingChanges.unreadableChanges(of: [.picture]) == [])
  }

  @Test(
    arguments: [
      (.contact, #"{"jid":"paris@example.org","operation":"duel"}"#),
      (.card, #"{"field":"shoeSize","text":"42"}"#),
      (.visibility, #"{"visibility":"friends"}"#),
      (.picture, #"{"picture":{"id":"ab"}}"#),
      (.presence, #"{"availability":"asleep","priority":0}"#),
      (.follow, #"{"source":"podcast","service":"a.example","node":"","follows":true}"#),
      (.post, #"{"service":"a.example","node":"n"}"#),
      (.event, #"{"service":"a.example","node":"n","item":"i","change":"move"}"#),
      (.answer, #"{"service":"a.example"}"#),
      (.bookmark, "{}"),
      (.notifications, #"{"room":"balcony@rooms.example.org","setting":"at-night"}"#),
    ] as [(PendingChangeKind, String)])
  func `a change of a later version is named, and is not taken for none`(
    kind: PendingChangeKind, payload: String
  ) async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.database.write { db in
      try db.run(
        "INSERT INTO pending_change (kind, subject, payload) VALUES (?, ?, ?)", kind.rawValue,
        PendingChangeRecord.name(of: ["a", "", "b"]), payload)
    }
    let all = Set(PendingChangeKind.allCases)
    let expected = [UnreadableChange(kind, of: ["a", "", "b"])]
    for store in [account.pendingChanges, account.roster, account.presence, account.bookmarks]
      as [any UnreadableChangeReading]
    {
      #expect(try await store.unreadableChanges(of: all) == expected)
      #expect(try await store.unreadableChanges(of: all.subtracting([kind])) == [])
    }
    // What its owner reads is not affected by it.
    #expect(try await account.roster.contactChanges() == [])
    #expect(try await account.presence.storedPresence() == StoredPresence())
    #expect(try await account.pendingChanges.drafts() == [])
    #expect(try await account.pendingChanges.pending(FollowChange.self) == [])
  }

  @Test func `a room or an event that is stored anew keeps a change that cannot be read`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let event = CalendarEvent.ID(calendar: EventCalendar.ID(Sample.juliet), item: "i")
    let subjects: [(PendingChangeKind, [String])] = [
      (.notifications, [Sample.room.description]), (.bookmark, [Sample.room.description]),
      (.event, [event.calendar.service.description, event.calendar.node, event.item]),
      (.answer, [event.calendar.service.description, event.calendar.node, event.item]),
    ]
    try await account.database.write { db in
      for (kind, subject) in subjects {
        try db.run(
          "INSERT INTO pending_change (kind, subject, payload) VALUES (?, ?, '[]')", kind.rawValue,
          PendingChangeRecord.name(of: subject))
      }
    }
    try await account.events.save(EventCalendar(id: event.calendar))
    try await account.events.save(
      CalendarEvent(id: event, name: "Ball", start: Sample.date(1), end: Sample.date(2)))
    try await account.bookmarks.save(Bookmark(room: Sample.room))
    let unreadable = subjects.map { UnreadableChange($0.0, of: $0.1) }
    let changes = account.pendingChanges
    let kinds = Set(subjects.map(\.0))
    #expect(try await changes.unreadableChanges(of: kinds) == unreadable)
    // A later change of the same subject replaces it.
    var bookmark = Bookmark(room: Sample.room)
    bookmark.choose(.never)
    try await account.bookmarks.save(bookmark)
    #expect(try await changes.unreadableChanges(of: kinds) == Array(unreadable.dropFirst()))
    #expect(try await account.bookmarks.bookmarks() == [bookmark])
  }

  @Test func `the table takes each kind, and a reason with a refusal only`() async throws {
    let database = try await AccountDatabase.inMemory().database
    try await database.write { db in
      for kind in PendingChangeKind.allCases {
        try db.run(
          "INSERT INTO pending_change (kind, subject, payload) VALUES (?, 'a', '{}')",
          kind.rawValue)
      }
    }
    for values in [
      "'wish', 'b', '{}', 'waiting', NULL", "'card', 'b', '{}', 'refused', NULL",
      "'card', 'b', '{}', 'waiting', 'no'", "'card', 'a', '{}', 'waiting', NULL",
    ] {
      await #expect(throws: (any Error).self, "\(values)") {
        try await database.write { db in
          try db.run(
            "INSERT INTO pending_change (kind, subject, payload, state, refusal) VALUES (\(values))"
          )
        }
      }
    }
  }
}
