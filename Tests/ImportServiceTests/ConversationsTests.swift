import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing

@testable import ImportService

@Suite struct ConversationsTests {
  static let password = "pässword"

  static let rows = #"""
    [{"table":"accounts","values":{"uuid":"a","username":"alice","password":"canary"}},
    {"table":"conversations","values":{"uuid":"c1","contactJid":"bob@natter.test","mode":"0"}},
    {"table":"conversations","values":{"uuid":"c2","contactJid":"tea@rooms.natter.test","mode":"1"}},
    {"table":"identities","values":{"key":"canary"}},
    {"table":"messages","values":{"uuid":"u1","conversationUuid":"c1","timeSent":"1764363850123",
      "counterpart":"bob@natter.test\/phone","body":"a\nb","encryption":"0","status":"0","type":"0",
      "remoteMsgId":"m1","serverMsgId":"s1","edited":null,"deleted":"0"}},
    {"table":"messages","values":{"uuid":"u2","conversationUuid":"c1","timeSent":"1764363851000",
      "body":"corrected","encryption":"5","status":"8","type":"0","remoteMsgId":"m2","serverMsgId":"s2",
      "edited":"[{\"edited_id\":\"m0\",\"server_msg_id\":\"s0\"},{\"edited_id\":\"m1\"}]"}},
    {"table":"messages","values":{"uuid":"u3","conversationUuid":"c1","timeSent":"1764363852000",
      "body":"mine","status":"2","type":"0"}},
    {"table":"messages","values":{"uuid":"u4","conversationUuid":"c1","timeSent":"1764363853000",
      "body":"failed","status":"3","type":"0"}},
    {"table":"messages","values":{"uuid":"u5","conversationUuid":"c2","timeSent":"1764363854000",
      "counterpart":"tea@rooms.natter.test\/Bob B","body":"in the room","status":"0","type":"0"}},
    {"table":"messages","values":{"uuid":"u6","conversationUuid":"c2","timeSent":"1764363855000",
      "counterpart":"tea@rooms.natter.test\/Bob B","body":"psst","status":"0","type":"4"}},
    {"table":"messages","values":{"uuid":"u7","conversationUuid":"c1","timeSent":"1764363856000",
      "body":"https:\/\/files.test\/a.png|1024|640|480","status":"0","type":"1"}},
    {"table":"messages","values":{"uuid":"u8","conversationUuid":"c1","timeSent":"1764363857000",
      "body":"1024|640|480","status":"0","type":"1"}},
    {"table":"messages","values":{"uuid":"u9","conversationUuid":"c1","timeSent":"1764363858000",
      "body":"for another device","encryption":"6","status":"0","type":"0"}},
    {"table":"messages","values":{"uuid":"u10","conversationUuid":"none","timeSent":"1764363859000",
      "body":"from nowhere","status":"0","type":"0"}},
    {"table":"messages","values":{"uuid":"u11","conversationUuid":"c1","timeSent":"soon",
      "body":"x","status":"0","type":"0"}},
    {"table":"messages","values":{"uuid":"u12","conversationUuid":"c1","timeSent":1764363860000,
      "body":"\u0000\u001b[31m {\"[","status":0,"type":0}}]
    """#

  private var context: ImportContext {
    var context = ImportContext()
    context.password = Self.password
    return context
  }

  @Test(arguments: [2, 3]) func `a backup is read with the password`(version: UInt8) throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(
      try BackupFixture.file(Self.rows, password: Self.password, version: version), "a.ceb")
    #expect(ConversationsBackup.recognizes(path))
    let bob = "bob@natter.test"
    let items = try HistoryFixture.items(ConversationsBackup.self, path, context)
    #expect(
      items == [
        message("a\nb", in: bob, at: 1_764_363_850) {
          $0.sentAt = Date(timeIntervalSince1970: 1_764_363_850.123)
          ($0.originID, $0.stanzaID) = ("m1", "s1")
        },
        message("corrected", in: bob, .outgoing, at: 1_764_363_851) {
          ($0.originID, $0.stanzaID) = ("m0", "s0")
        },
        message("mine", in: bob, .outgoing, at: 1_764_363_852) { $0.originID = "u3" },
        .skipped,
        roomMessage("in the room", by: "Bob B", at: 1_764_363_854),
        message("psst", in: "tea@rooms.natter.test/Bob B", at: 1_764_363_855),
        message("https://files.test/a.png", in: bob, at: 1_764_363_856) {
          $0.fileAddress = $0.body
        },
        .skipped, .skipped,
        .refused(place: "\(path) messages 14"), .refused(place: "\(path) messages 15"),
        message("\u{1B}[31m {\"[", in: bob, at: 1_764_363_860),
      ])
    #expect(!"\(items)".contains("canary"))
  }

  @Test(arguments: [
    #""counterpart":"no address@""#, #""counterpart":3"#, #""type":"x""#, #""encryption":"x""#,
    #""deleted":[1]"#, #""status":"x""#, #""status":"9""#, #""status":-1"#,
  ])
  func `a column that cannot be read does not count as an absent one`(column: String) throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(
      try BackupFixture.file(
        #"""
        [{"table":"conversations","values":{"uuid":"c","contactJid":"tea@rooms.natter.test",
          "mode":"1"}},
        {"table":"conversations","values":{"uuid":"d","contactJid":"bob@natter.test","mode":"x"}},
        {"table":"messages","values":{"uuid":"u","conversationUuid":"c","timeSent":"1764363850000",
          "body":"whose?","status":"0",\#(column)}}]
        """#, password: Self.password), "a.ceb")
    #expect(
      try HistoryFixture.items(ConversationsBackup.self, path, context) == [
        .refused(place: "\(path) conversations 2"), .refused(place: "\(path) messages 3"),
      ])
  }

  @Test(arguments: [0, 2])
  func `a private message of a room is with an occupant of it`(status: Int) throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(
      try BackupFixture.file(
        """
        [{"table":"conversations","values":{"uuid":"c","contactJid":"tea@rooms.natter.test",
          "mode":1}},
        {"table":"messages","values":{"uuid":"u","conversationUuid":"c","type":4,
          "counterpart":"hill@rooms.natter.test/Bob","timeSent":"1764363850000","body":"psst",
          "status":\(status)}}]
        """, password: Self.password), "a.ceb")
    #expect(
      try HistoryFixture.items(ConversationsBackup.self, path, context) == [
        .refused(place: "\(path) messages 2")
      ])
  }

  @Test func `a conversation of no known kind has no messages`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(
      try BackupFixture.file(
        #"""
        [{"table":"conversations","values":{"uuid":"d","contactJid":"bob@natter.test","mode":2}},
        {"table":"messages","values":{"uuid":"u","conversationUuid":"d",
          "timeSent":"1764363850000","body":"room or not?","status":"0"}}]
        """#, password: Self.password), "a.ceb")
    #expect(
      try HistoryFixture.items(ConversationsBackup.self, path, context) == [
        .refused(place: "\(path) conversations 1"), .refused(place: "\(path) messages 2"),
      ])
  }

  @Test func `the conversations that are kept have a limit`() {
    #expect((10..<20).contains(kept(of: 100, idLength: 1 << 20)))
    // Short ids take memory, too.
    #expect((200..<400).contains(kept(of: 1000, idLength: 1, limit: 1 << 16)))
  }

  /// Returns how many of so many conversations are kept.
  private func kept(of count: Int, idLength: Int, limit: Int? = nil) -> Int {
    var reader = ConversationsReader(path: "a.ceb", account: Histories.alice)
    if let limit { reader.mostChatBytes = limit }
    var kept = 0
    for number in 0..<count {
      let id = "\(number)" + String(repeating: "x", count: idLength)
      let values = JSONValue.object([
        "uuid": .text(id), "contactJid": .text("bob@natter.test"), "mode": .integer(0),
      ])
      let row = BackupRows.Row(table: "conversations", values: values, number: number)
      if reader.item(row) == nil { kept += 1 }
    }
    return kept
  }

  @Test func `a wrong password, and none, are reported`() throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(
      try BackupFixture.file(Self.rows, password: "another"), "a.ceb")
    for context in [context, ImportContext()] {
      #expect(throws: ImportFailure.password) {
        try HistoryFixture.items(ConversationsBackup.self, path, context)
      }
    }
  }

  @Test func `an unknown version is named`() throws {
    let fixture = try HistoryFixture()
    for version: UInt8 in [1, 4] {
      let path = try fixture.write(BackupFixture.header(version: version), "a.ceb")
      #expect(ConversationsBackup.recognizes(path))
      #expect(throws: ImportFailure.unsupportedVersion("\(version)")) {
        try HistoryFixture.items(ConversationsBackup.self, path, context)
      }
    }
    #expect(!ConversationsBackup.recognizes(try fixture.write("words, and more words", "a.txt")))
  }

  @Test func `of a damaged backup nothing is believed`() throws {
    let fixture = try HistoryFixture()
    try fixture.write(
      try BackupFixture.file(#"[{"table":"conversations"}]"#, password: Self.password), "whole")
    for variants in [Array(try fixture.cuts("whole")), Array(try fixture.flips("whole"))] {
      #expect(try fixture.readAll(ConversationsBackup.self, "a.ceb", variants, context) == 0)
    }
    let items = try HistoryFixture.items(
      ConversationsBackup.self, fixture.path("whole"), context)
    #expect(items == [.refused(place: "\(fixture.path("whole")) conversations 1")])
  }

  @Test(arguments: ["", "[", #"[{"table":"messages""#, "{}"])
  func `authentic data that is not whole is damaged`(text: String) throws {
    let fixture = try HistoryFixture()
    let path = try fixture.write(try BackupFixture.file(text, password: Self.password), "a.ceb")
    #expect(throws: ImportFailure.damaged(path: path)) {
      try HistoryFixture.items(ConversationsBackup.self, path, context)
    }
  }
}

@Suite struct BackupRowsTests {
  private func rows(_ text: [UInt8], piece: Int, limit: Int = 1 << 20) throws -> [String] {
    var rows = BackupRows(limit: limit)
    var found: [String] = []
    for start in stride(from: 0, to: text.count, by: piece) {
      try rows.add(text[start..<min(start + piece, text.count)]) {
        found.append("\($0.number) \($0.table) \($0.values?.text ?? "none")")
      }
    }
    return found + (rows.isAtEnd ? [] : ["cut off"])
  }

  @Test(arguments: [1, 3, 1000]) func `rows are found in pieces of any size`(piece: Int) throws {
    let text = #"""
       [{"table":"accounts","values":{"a":"}]"}}, { "table" : "messages","values":{"b":"\"]}\\"}},
      {"table":"conversations","values":[1,{"c":[2]}]},{"table":"messages",},
      7,"x",{"values":{},"table":"messages"}] {"table":"messages","values":1}
      """#
    #expect(
      try rows(Array(text.utf8), piece: piece) == [
        #"2 messages {"b":"\"]}\\"}"#, #"3 conversations [1,{"c":[2]}]"#, "4 messages none",
      ])
  }

  @Test func `a row over the limit is refused, and the next one read`() throws {
    let long = String(repeating: "x", count: 64)
    let text = #"[{"table":"messages","values":"\#(long)"},{"table":"messages","values":1}]"#
    let found = try rows(Array(text.utf8), piece: 10, limit: 64)
    #expect(found == ["1 messages none", "2 messages 1"])
  }

  @Test func `ill-formed text is repaired`() throws {
    let text = Array(#"[{"table":"messages","values":""#.utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
    #expect(try rows(text, piece: 5) == ["1 messages \"\u{FFFD}(\""])
  }

  @Test func `changed rows are found or passed over`() throws {
    let rows = Array(ConversationsTests.rows.utf8)
    for index in stride(from: 0, to: rows.count, by: 11) {
      var changed = rows
      changed[index] ^= index % 3 == 0 ? 0xFF : UInt8(1 << (index % 8))
      _ = try self.rows(changed, piece: 4096)
    }
  }
}

@Suite struct InflaterTests {
  /// The output of gzip for 64 times `natter `.
  static let compressed: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x4B, 0x2C, 0x29, 0x49, 0x2D,
    0x52, 0xC8, 0x1B, 0xA5, 0x86, 0x26, 0x05, 0x00, 0xED, 0xA0, 0xA8, 0x05, 0xC0, 0x01, 0x00, 0x00,
  ]

  private func inflated(_ bytes: [UInt8], piece: Int) throws -> (text: String, isAtEnd: Bool) {
    let inflater = try Inflater()
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try inflater.inflate(Array(bytes[start..<min(start + piece, bytes.count)])) { result += $0 }
    }
    return (String(decoding: result, as: UTF8.self), inflater.isAtEnd)
  }

  @Test(arguments: [1, 5, 1000]) func `data is decompressed in pieces`(piece: Int) throws {
    let text = String(repeating: "natter ", count: 64)
    #expect(try inflated(Self.compressed, piece: piece) == (text, true))
    #expect(try inflated(Self.compressed + [1, 2, 3], piece: piece) == (text, true))
    #expect(try !inflated(Array(Self.compressed.dropLast()), piece: piece).isAtEnd)
  }

  @Test func `much data comes out in pieces`() throws {
    let bytes = [UInt8]((0..<300_000).map { UInt8($0 % 251) })
    var (result, pieces): ([UInt8], Int) = ([], 0)
    try Inflater().inflate(BackupFixture.gzip(bytes)) {
      result += $0
      pieces = max(pieces, $0.count)
    }
    #expect(result == bytes)
    #expect(pieces == 64 << 10)
  }

  @Test func `damaged data is an error, never ends, or is the same`() throws {
    let text = String(repeating: "natter ", count: 64)
    for index in Self.compressed.indices.dropFirst(10) {
      var changed = Self.compressed
      changed[index] ^= 0x10
      do {
        // A bit may mean nothing, or the same distance in text that repeats.
        let result = try inflated(changed, piece: 7)
        #expect(!result.isAtEnd || result.text == text)
      } catch is Inflater.Damaged {}
    }
    #expect(throws: Inflater.Damaged.self) { try inflated(Array("words".utf8), piece: 9) }
  }
}
