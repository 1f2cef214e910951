import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ImportService

@Suite struct GajimTests {
  /// The tables of version 1.7, without the columns that no reader needs.
  static let logs = """
    CREATE TABLE jids(jid_id INTEGER PRIMARY KEY AUTOINCREMENT UNIQUE, jid TEXT UNIQUE, type INTEGER);
    CREATE TABLE logs(log_line_id INTEGER PRIMARY KEY AUTOINCREMENT UNIQUE, account_id INTEGER,
      jid_id INTEGER, contact_name TEXT, time INTEGER, kind INTEGER, message TEXT, subject TEXT,
      additional_data TEXT, stanza_id TEXT, message_id TEXT);
    INSERT INTO jids VALUES (1, 'alice@natter.test', 0), (2, 'bob@natter.test', 0),
      (3, 'carol@natter.test', 0), (4, 'tea@rooms.natter.test', 1),
      (5, 'tea@rooms.natter.test/Bob B', 0), (6, 'no address@', 0);
    INSERT INTO logs VALUES
      (1, 1, 2, NULL, 1764363850, 4, 'hello' || char(10) || 'there', NULL, '{}', 's1', 'm1'),
      (2, 1, 2, NULL, 1764363851.5, 6, 'better', NULL,
        '{"corrected":{"original_text":"worse"}}', 's2', 'm2'),
      (3, 1, 3, NULL, 1764363852, 3, 'text', 'subject', NULL, NULL, NULL),
      (4, 1, 2, NULL, 1764363853, 0, 'away', NULL, NULL, NULL, NULL),
      (5, NULL, 4, 'bob', 1764363854, 2, 'in the room', NULL, NULL, 's5', 'm5'),
      (6, NULL, 4, 'ali', 1764363855, 2, 'mine', NULL, NULL, NULL, 'm6'),
      (7, 1, 5, NULL, 1764363856, 4, 'psst', NULL, NULL, NULL, NULL),
      (8, 1, 6, NULL, 1764363857, 4, 'from nowhere', NULL, NULL, NULL, NULL),
      (9, 1, 2, NULL, 1764363858, 4, 'https://files.test/a.png', NULL,
        '{"gajim":{"oob_url":"https://files.test/a.png"}}', NULL, NULL),
      (10, 1, 2, NULL, 1764363859, 4, CAST(x'C3286100620A1B5B' AS TEXT), NULL, '{', '', ''),
      (11, 1, 2, NULL, -5, 4, 'before time', NULL, NULL, NULL, NULL),
      (12, 1, 2, NULL, 1764363860, 4, 'gone', NULL, '{"retracted":{"by":"x"}}', 's', 'm'),
      (13, 1, 4, 'bob', 1764363861, 2, NULL, 'a topic', NULL, NULL, NULL),
      (14, 6, 2, NULL, 1764363862, 4, 'of another account', NULL, NULL, NULL, NULL);
    PRAGMA user_version = 7;
    """

  static let archive = """
    CREATE TABLE account(pk INTEGER PRIMARY KEY, jid TEXT);
    CREATE TABLE remote(pk INTEGER PRIMARY KEY, jid TEXT);
    CREATE TABLE occupant(pk INTEGER PRIMARY KEY, id TEXT, nickname TEXT);
    CREATE TABLE oob(pk INTEGER PRIMARY KEY, fk_message_pk INTEGER, url TEXT);
    CREATE TABLE moderation(pk INTEGER PRIMARY KEY, fk_remote_pk INTEGER, stanza_id TEXT);
    CREATE TABLE message(pk INTEGER PRIMARY KEY, fk_account_pk INTEGER, fk_remote_pk INTEGER,
      resource TEXT, type INTEGER, direction INTEGER, timestamp REAL, id TEXT, stanza_id TEXT,
      text TEXT, fk_occupant_pk INTEGER, correction_id TEXT);
    INSERT INTO account VALUES (1, 'alice@natter.test');
    INSERT INTO remote VALUES (1, 'bob@natter.test'), (2, 'tea@rooms.natter.test'),
      (3, 'tea@rooms.natter.test/Bob');
    INSERT INTO occupant VALUES (1, 'o', 'Bob');
    INSERT INTO oob VALUES (7, 4, 'https://files.test/a.png');
    INSERT INTO moderation VALUES (1, 2, 'spam');
    INSERT INTO message VALUES
      (1, 1, 1, 'phone', 1, 1, 1764363850.25, 'm1', 's1', 'helo', NULL, NULL),
      (2, 1, 1, 'phone', 1, 1, 1764363851, 'm2', 's2', 'hello', NULL, 'm1'),
      (3, 1, 1, 'desk', 1, 2, 1764363852, 'm3', NULL, 'a' || char(10) || 'b', NULL, NULL),
      (4, 1, 1, 'phone', 1, 1, 1764363853, 'm4', NULL, NULL, NULL, NULL),
      (5, 1, 2, NULL, 2, 1, 1764363854, 'm5', 's5', 'in the room', 1, NULL),
      (6, 1, 2, 'ali', 2, 2, 1764363855, 'm6', 's6', 'mine', NULL, NULL),
      (7, 1, 2, 'eve', 2, 1, 1764363856, 'm7', 'spam', 'buy', NULL, NULL),
      (8, 1, 3, NULL, 3, 2, 1764363857, 'm8', NULL, 'psst', NULL, NULL),
      (9, 1, 1, NULL, 1, 1, 1764363858, 'm9', NULL, NULL, NULL, NULL),
      (10, 1, 99, NULL, 1, 1, 1764363859, 'm10', NULL, 'from nowhere', NULL, NULL),
      (11, 99, 1, NULL, 1, 1, 1764363860, 'm11', NULL, 'of another account', NULL, NULL);
    PRAGMA user_version = 10;
    """

  @Test func `the logs of versions before 1.9 are read`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.logs, "logs.db")
    #expect(GajimHistory.recognizes(path))
    #expect(GajimHistory.recognizes(fixture.folder.root.path))
    let items = try HistoryFixture.items(
      GajimHistory.self, fixture.folder.root.path, HistoryFixture.context(own: ["ali"]))
    let bob = "bob@natter.test"
    #expect(
      items == [
        message("hello\nthere", in: bob, at: 1_764_363_850) {
          ($0.originID, $0.stanzaID) = ("m1", "s1")
        },
        message("better", in: bob, .outgoing, at: 1_764_363_851) {
          $0.sentAt += 0.5
          ($0.originID, $0.stanzaID) = ("m2", "s2")
        },
        message("subject\ntext", in: "carol@natter.test", at: 1_764_363_852),
        .skipped,
        roomMessage("in the room", by: "bob", at: 1_764_363_854, account: nil) {
          ($0.originID, $0.stanzaID) = ("m5", "s5")
        },
        roomMessage("mine", by: "ali", .outgoing, at: 1_764_363_855, account: nil) {
          $0.originID = "m6"
        },
        message("psst", in: "tea@rooms.natter.test/Bob B", at: 1_764_363_856),
        .refused(place: "\(path) logs 8"),
        message("https://files.test/a.png", in: bob, at: 1_764_363_858) {
          $0.fileAddress = "https://files.test/a.png"
        },
        message("\u{FFFD}(ab\n\u{1B}[", in: bob, at: 1_764_363_859),
        .refused(place: "\(path) logs 11"),
        .skipped, .skipped, .refused(place: "\(path) logs 14"),
      ])
  }

  @Test func `logs without the newer columns are read`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      """
      CREATE TABLE jids(jid_id INTEGER PRIMARY KEY, jid TEXT, type INTEGER);
      CREATE TABLE logs(log_line_id INTEGER PRIMARY KEY, jid_id INTEGER, contact_name TEXT,
        time INTEGER, kind INTEGER, show INTEGER, message TEXT, subject TEXT);
      INSERT INTO jids VALUES (1, 'bob@natter.test', 0);
      INSERT INTO logs VALUES (1, 1, NULL, 1264363850, 4, NULL, 'long ago', NULL);
      """, "logs.db")
    #expect(
      try HistoryFixture.items(GajimHistory.self, path) == [
        message("long ago", in: "bob@natter.test", at: 1_264_363_850, account: nil)
      ])
  }

  @Test func `the archive of version 1.9 and later is read`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.archive, "logs.db")
    #expect(GajimHistory.recognizes(path))
    let bob = "bob@natter.test"
    #expect(
      try HistoryFixture.items(GajimHistory.self, path) == [
        message("helo", in: bob, at: 1_764_363_850) {
          $0.sentAt += 0.25
          ($0.originID, $0.stanzaID) = ("m1", "s1")
        },
        message("hello", in: bob, at: 1_764_363_851) {
          ($0.originID, $0.stanzaID, $0.corrects) = ("m2", "s2", "m1")
        },
        message("a\nb", in: bob, .outgoing, at: 1_764_363_852) { $0.originID = "m3" },
        message("https://files.test/a.png", in: bob, at: 1_764_363_853) {
          $0.originID = "m4"
          $0.fileAddress = "https://files.test/a.png"
        },
        roomMessage("in the room", by: "Bob", at: 1_764_363_854) {
          ($0.originID, $0.stanzaID) = ("m5", "s5")
        },
        roomMessage("mine", by: "ali", .outgoing, at: 1_764_363_855) {
          ($0.originID, $0.stanzaID) = ("m6", "s6")
        },
        .skipped,
        message("psst", in: "tea@rooms.natter.test/Bob", .outgoing, at: 1_764_363_857) {
          $0.originID = "m8"
        },
        .skipped,
        .refused(place: "\(path) message 10"), .refused(place: "\(path) message 11"),
      ])
  }

  @Test func `a database of another program is not recognized`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database("CREATE TABLE logs(a TEXT);", "logs.db")
    #expect(!GajimHistory.recognizes(path))
    #expect(throws: ImportFailure.unsupportedVersion("0")) {
      try HistoryFixture.items(GajimHistory.self, path)
    }
    #expect(!GajimHistory.recognizes(try fixture.write("no database", "text")))
    #expect(!GajimHistory.recognizes(fixture.path("none")))
  }

  @Test(arguments: [false, true])
  func `a damaged database is read or refused`(isArchive: Bool) throws {
    let fixture = try HistoryFixture()
    try fixture.database(isArchive ? Self.archive : Self.logs, "whole.db")
    try fixture.readAll(GajimHistory.self, "cut.db", fixture.cuts("whole.db", step: 131))
    try fixture.readAll(GajimHistory.self, "flipped.db", fixture.flips("whole.db", step: 17))
  }
}
