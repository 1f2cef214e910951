import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Pending changes of rooms and state of protocols in files of versions that had them elsewhere.
@Suite struct ProtocolStateMigrationTests {
  @Test(arguments: 1...5)
  func `changes of bookmarks and notification settings of rooms survive`(version: Int) async throws
  {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: version, in: scratch) { db in
      for (local, isChanged, wish) in [
        ("a", 1, nil), ("b", 0, "on-mention"), ("c", 1, ""), ("d", 0, nil),
      ] as [(String, Int, String?)] {
        try db.run(
          """
          INSERT INTO room (jid, name, nick, password, autojoin, is_published, is_changed,
            notification_wish, is_wanted, subject, about, picture_id, exit_cause, exit_actor,
            exit_reason, exit_alternative)
          VALUES (?, 'A room', 'al', 'secret', 1, 1, ?, ?, 1, 'S', 'About', 'ab', 'destroyed', 'x',
            'why', 'other@example.org')
          """, "\(local)@rooms.example.org", isChanged, wish)
      }
    }
    let bookmarks = try await account.bookmarks.bookmarks()
    #expect(bookmarks.map(\.room.local) == ["a", "b", "balcony", "c", "d"])
    #expect(bookmarks.map(\.isChanged) == [true, false, false, true, false])
    #expect(bookmarks.map(\.rule) == [nil, .set(.onMention), nil, .unset, nil])
    let exit = RoomExit(
      .destroyed, actor: "x", reason: "why",
      alternative: JID(local: "other", domain: "example.org"))
    for bookmark in bookmarks where bookmark.room.local != "balcony" {
      var expected = Bookmark(
        room: bookmark.room, name: "A room", nick: "al", password: "secret", autojoins: true,
        isPublished: true, isWanted: true, subject: "S", exit: exit, about: "About",
        pictureID: "ab")
      (expected.isChanged, expected.rule) = (bookmark.isChanged, bookmark.rule)
      #expect(bookmark == expected)
    }
    #expect(bookmarks[2].name == "Balcony" && bookmarks[2].exit?.actor == "tybalt")
  }

  @Test func `rooms whose archive could not be read are known by their row`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: 5, in: scratch) { db in
      for local in ["a", "b", "c", "ab"] {
        try db.run("INSERT INTO room (jid) VALUES (?)", "\(local)@rooms.example.org")
      }
      try db.run(
        "INSERT INTO setting VALUES ('rooms.refusing', ?)",
        "b@rooms.example.org\nc@rooms.example.org\ngone@rooms.example.org")
    }
    let bookmarks = try await account.bookmarks.bookmarks()
    #expect(bookmarks.filter(\.refusesArchive).map(\.room.local) == ["b", "c"])
    #expect(try await account.settings.values() == ["guide.seen": "1"])
  }

  @Test func `messages that a server may not accept stay marked while they wait`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: 5, in: scratch) { db in
      try db.run("INSERT INTO setting VALUES ('outbox.suspects', ?)", "gone\no4\no5")
    }
    #expect(try await account.outbox.suspects() == ["o4"])
    #expect(try await account.settings.values() == ["guide.seen": "1"])
  }

  @Test(
    arguments: [
      ("all", .complete), ("nothing", nil), ("", nil), ("1700000000 ", nil),
      (
        "1700000000.123456 a 50",
        .reached(ArchivePosition(id: "a 50", at: Sample.date(0.123456)))
      ), ("1700000003.0 a", .reached(ArchivePosition(id: "a", at: Sample.date(3)))),
    ] as [(String, ArchiveSearchProgress?)])
  func `the search of the archive goes on where it was`(
    text: String, progress: ArchiveSearchProgress?
  ) async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: 5, in: scratch) { db in
      try db.run("INSERT INTO setting VALUES ('archive.searched', ?)", text)
    }
    #expect(try await account.archiveProgress.searchProgress() == progress)
    #expect(try await account.settings.values() == ["guide.seen": "1"])
  }

  @Test(
    arguments: [
      (
        "1700000009.5 1700000003.000002 1700000009.5",
        OfflineDeliveryLog(
          last: Sample.date(9.5), borders: [Sample.date(3.000_002), Sample.date(9.5)])
      ), ("1700000009.5", OfflineDeliveryLog(last: Sample.date(9.5))),
      ("a b", OfflineDeliveryLog()), ("", OfflineDeliveryLog()),
    ] as [(String, OfflineDeliveryLog)])
  func `deliveries before the archive was read are known`(
    text: String, deliveries: OfflineDeliveryLog
  ) async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabaseTests.account(from: 5, in: scratch) { db in
      try db.run("INSERT INTO setting VALUES ('archive.handed-over', ?)", text)
    }
    #expect(try await account.archiveProgress.offlineDeliveries() == deliveries)
    #expect(try await account.settings.values() == ["guide.seen": "1"])
  }

  @Test func `a file of the version that began it has what it had`() async throws {
    let scratch = try Scratch()
    let account = try await AccountDatabase.open(
      at: try await AccountDatabaseTests.oldFile(6, in: scratch))
    let balcony = try #require(try await account.bookmarks.bookmarks().first)
    #expect(balcony.isChanged && balcony.rule == .set(.onMention))
    #expect(balcony.refusesArchive)
    #expect(try await account.outbox.suspects() == ["o4"])
    let progress = account.archiveProgress
    #expect(
      try await progress.searchProgress()
        == .reached(ArchivePosition(id: "s0", at: Sample.date(-1))))
    #expect(
      try await progress.offlineDeliveries()
        == OfflineDeliveryLog(last: Sample.date(2), borders: [Sample.date(2)]))
    #expect(balcony.refusal == StatusNotice(.error, "stanza.forbidden", ["text": "no"]))
  }
}
