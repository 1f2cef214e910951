import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ImportService

@Suite struct DinoTests {
  /// The tables that are read, as version 0.4 makes them, and the password beside the address.
  static let history = """
    CREATE TABLE account(id INTEGER PRIMARY KEY, bare_jid TEXT, password TEXT);
    CREATE TABLE jid(id INTEGER PRIMARY KEY, bare_jid TEXT);
    CREATE TABLE message(id INTEGER PRIMARY KEY, stanza_id TEXT, server_id TEXT,
      account_id INTEGER, counterpart_id INTEGER, our_resource TEXT, counterpart_resource TEXT,
      direction INTEGER, type INTEGER, time INTEGER, body TEXT, marked INTEGER);
    CREATE TABLE message_correction(id INTEGER PRIMARY KEY, message_id INTEGER, to_stanza_id TEXT);
    CREATE TABLE file_transfer(id INTEGER PRIMARY KEY, account_id INTEGER, counterpart_id INTEGER,
      direction INTEGER, time INTEGER, info TEXT);
    CREATE TABLE conversation(id INTEGER PRIMARY KEY, jid_id INTEGER, type INTEGER);
    INSERT INTO account VALUES (1, 'alice@natter.test', 'canary');
    INSERT INTO jid VALUES (1, 'bob@natter.test'), (2, 'carol@natter.test'),
      (3, 'tea@rooms.natter.test');
    INSERT INTO conversation VALUES (1, 3, 1);
    INSERT INTO message VALUES
      (1, 'm1', 's1', 1, 1, NULL, 'phone', 0, 1, 1764363850, 'a' || char(10) || 'b', 0),
      (2, 'm2', NULL, 1, 1, 'desk', NULL, 1, 1, 1764363851, 'better', 7),
      (3, 'm3', NULL, 1, 2, 'desk', NULL, 1, 1, 1764363852, 'never sent', 4),
      (4, 'm4', 's4', 1, 3, 'ali', 'bob', 0, 2, 1764363853, 'in the room', 0),
      (5, 'm5', NULL, 1, 3, 'ali', NULL, 1, 2, 1764363854, 'mine', 0),
      (6, 'm6', NULL, 1, 3, 'ali', 'bob', 0, 3, 1764363855, 'psst', 0),
      (7, 'm7', NULL, 1, 2, NULL, NULL, 0, 1, 1764363856, 'https://files.test/a.png', 0),
      (8, 'm8', NULL, 1, 2, NULL, NULL, 0, 1, 1764363857, 'https://files.test/b.png', 0),
      (9, 'm9', NULL, 1, 9, NULL, NULL, 0, 1, 1764363858, 'from nowhere', 0),
      (10, 'm10', NULL, 1, 1, NULL, NULL, 0, 0, 1764363859, 'an error', 0);
    INSERT INTO message_correction VALUES (1, 2, 'm0');
    INSERT INTO file_transfer VALUES (1, 1, 2, 0, 1764363856, '7'),
      (2, 1, 2, 0, 1764363857, 'https://files.test/b.png'),
      (3, 1, 3, 1, 1764363860, 'https://files.test/c.png'),
      (4, 1, 2, 0, 1764363861, 'a session');
    """

  @Test func `messages, rooms, corrections and files are read`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(Self.history, "dino.db")
    #expect(DinoHistory.recognizes(path))
    #expect(DinoHistory.recognizes(fixture.folder.root.path))
    let (bob, carol) = ("bob@natter.test", "carol@natter.test")
    let items = try HistoryFixture.items(DinoHistory.self, path)
    #expect(
      items == [
        message("a\nb", in: bob, at: 1_764_363_850) {
          ($0.originID, $0.stanzaID) = ("m1", "s1")
        },
        message("better", in: bob, .outgoing, at: 1_764_363_851) {
          ($0.originID, $0.corrects) = ("m2", "m0")
        },
        .skipped,
        roomMessage("in the room", by: "bob", at: 1_764_363_853) {
          ($0.originID, $0.stanzaID) = ("m4", "s4")
        },
        roomMessage("mine", by: "ali", .outgoing, at: 1_764_363_854) { $0.originID = "m5" },
        message("psst", in: "tea@rooms.natter.test/bob", at: 1_764_363_855) {
          $0.originID = "m6"
        },
        message("https://files.test/a.png", in: carol, at: 1_764_363_856) {
          ($0.originID, $0.fileAddress) = ("m7", $0.body)
        },
        message("https://files.test/b.png", in: carol, at: 1_764_363_857) {
          ($0.originID, $0.fileAddress) = ("m8", $0.body)
        },
        .refused(place: "\(path) message 9"),
        .skipped,
        roomMessage("https://files.test/c.png", by: nil, .outgoing, at: 1_764_363_860) {
          $0.fileAddress = $0.body
        },
        .skipped,
      ])
    #expect(!"\(items)".contains("canary"))
  }

  @Test func `the first version's tables are read`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE jid(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE message(id INTEGER PRIMARY KEY, account_id INTEGER, counterpart_id INTEGER,
        direction INTEGER, type INTEGER, time INTEGER, body TEXT);
      INSERT INTO account VALUES (1, 'alice@natter.test');
      INSERT INTO jid VALUES (1, 'bob@natter.test');
      INSERT INTO message VALUES (1, 1, 1, 0, 1, 1500000000, 'hello');
      """, "dino.db")
    #expect(
      try HistoryFixture.items(DinoHistory.self, path) == [
        message("hello", in: "bob@natter.test", at: 1_500_000_000)
      ])
  }

  @Test func `an account that cannot be read is not taken for the user's`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE jid(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE message(id INTEGER PRIMARY KEY, account_id INTEGER, counterpart_id INTEGER,
        direction INTEGER, type INTEGER, time INTEGER, body TEXT);
      CREATE TABLE file_transfer(id INTEGER PRIMARY KEY, account_id INTEGER,
        counterpart_id INTEGER, direction INTEGER, time INTEGER, info TEXT);
      INSERT INTO account VALUES (1, 'no address@');
      INSERT INTO jid VALUES (1, 'bob@natter.test');
      INSERT INTO message VALUES (1, 1, 1, 0, 1, 1500000000, 'of another account'),
        (2, 7, 1, 0, 1, 1500000001, 'of none'), (3, NULL, 1, 0, 1, 1500000002, 'unknown');
      INSERT INTO file_transfer VALUES (1, 1, 1, 0, 1500000003, 'https://files.test/a.png');
      """, "dino.db")
    #expect(
      try HistoryFixture.items(DinoHistory.self, path) == [
        .refused(place: "\(path) message 1"), .refused(place: "\(path) message 2"),
        message("unknown", in: "bob@natter.test", at: 1_500_000_002, account: nil),
        .refused(place: "\(path) file_transfer 1"),
      ])
  }

  @Test func `a direction or a kind that cannot be read is not taken for a received message`()
    throws
  {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      """
      CREATE TABLE account(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE jid(id INTEGER PRIMARY KEY, bare_jid TEXT);
      CREATE TABLE message(id INTEGER PRIMARY KEY, account_id INTEGER, counterpart_id INTEGER,
        direction, type, time INTEGER, body TEXT);
      INSERT INTO account VALUES (1, 'alice@natter.test');
      INSERT INTO jid VALUES (1, 'bob@natter.test');
      INSERT INTO message VALUES (1, 1, 1, 'x', 1, 1500000000, 'a'),
        (2, 1, 1, 7, 1, 1500000001, 'b'),
        (3, 1, 1, NULL, 1, 1500000002, 'c'), (4, 1, 1, 0, 'x', 1500000003, 'd'),
        (5, 1, 1, '1', 1, 1500000004, 'e');
      """, "dino.db")
    let refused = (1...4).map { ImportItem.refused(place: "\(path) message \($0)") }
    #expect(
      try HistoryFixture.items(DinoHistory.self, path) == refused + [
        message("e", in: "bob@natter.test", .outgoing, at: 1_500_000_004)
      ])
  }

  @Test func `a nick that is too long is read, and refused as one that no occupant can have`()
    throws
  {
    let fixture = try HistoryFixture()
    let path = try fixture.database(
      Self.history + """
        UPDATE message SET counterpart_resource = printf('%5000c', 'n') WHERE id = 4;
        """, "dino.db")
    let items = try HistoryFixture.items(DinoHistory.self, path)
    let rooms = Histories.messages(items).filter { $0.body == "in the room" }
    #expect(rooms.map(\.hasReadableNick) == [false])
  }

  @Test func `a damaged database is read or refused`() throws {
    let fixture = try HistoryFixture()
    try fixture.database(Self.history, "whole.db")
    try fixture.readAll(DinoHistory.self, "cut.db", fixture.cuts("whole.db", step: 131))
    try fixture.readAll(DinoHistory.self, "flipped.db", fixture.flips("whole.db", step: 17))
  }
}
