import Foundation
import JSONLines
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// What a message looks like in the output of commands.
@Suite struct MessagePrinterTests {
  private static let account = JID(local: "me", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")
  private static let room = JID(local: "tea", domain: "rooms.example.org")

  /// 28 November 2026, 10:00:00 UTC.
  private static let start = Date(timeIntervalSince1970: 1_795_860_000)

  /// What a printer has written.
  private final class Written {
    var text = ""
  }

  private func database() async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    try await database.roster.replaceContacts(
      [Contact(jid: Self.bob, name: "Bob Miller")], version: nil)
    _ = try await database.bookmarks.openConversation(of: Self.room, name: "Tea")
    return database
  }

  private func message(
    _ body: String, at seconds: Double = 0, in conversation: JID = Self.bob, from sender: JID? = nil,
    direction: Message.Direction = .incoming
  ) -> IncomingMessage {
    IncomingMessage(
      conversation: conversation, sender: sender ?? conversation, direction: direction, body: body,
      sentAt: Self.start.addingTimeInterval(seconds), originID: "o\(Int(seconds))")
  }

  /// Prints the stored messages of `conversation`.
  private func printed(
    _ messages: [IncomingMessage], in conversation: JID = Self.bob, isJSON: Bool,
    showsConversation: Bool = false
  ) async throws -> [String] {
    let database = try await database()
    _ = try await database.messages.insert(messages, countsUnread: { _ in false })
    let localizer = Localizer(tag: "en", texts: try englishTexts())
    let format = ItemFormat(
      localizer: localizer, account: Self.account, local: { LocalTime.utc($0) })
    let written = Written()
    let output = ReadingOutput(localizer) {
      written.text += $0
      return true
    }
    var printer = MessagePrinter(
      account: Self.account, database: database,
      names: try await StoredNames(database, format: format), isJSON: isJSON, output: output)
    printer.showsConversation = showsConversation
    for message in try await database.timeline.latest(100, in: conversation) {
      try await printer.print(message)
    }
    try printer.print(HistoryHole(after: Self.start, before: Self.start.addingTimeInterval(0.5)))
    try output.finish()
    return written.text.split(separator: "\n").map(String.init)
  }

  @Test func `lines have time, name and text`() async throws {
    let lines = try await printed(
      [
        message("hello"),
        message("two\nlines\n", at: 61, from: Self.account, direction: .outgoing),
      ], isJSON: false)
    #expect(
      lines == [
        "2026-11-28 10:00:00 Bob Miller  hello", "2026-11-28 10:01:01 you  two", "    lines",
        "--- messages are missing here ---",
      ])
  }

  @Test func `occupants of rooms have their nicks, and the conversation can be named`()
    async throws
  {
    let carol = JID(local: "tea", domain: "rooms.example.org", resource: "carol")
    let lines = try await printed(
      [message("hi", in: Self.room, from: carol)], in: Self.room, isJSON: false,
      showsConversation: true)
    #expect(lines.first == "2026-11-28 10:00:00 tea@rooms.example.org carol  hi")
    let object = try await printed(
      [message("hi", in: Self.room, from: carol)], in: Self.room, isJSON: true)
    #expect(object[0].contains(#""kind":"room","from":"tea@rooms.example.org/carol","nick":"carol""#))
  }

  @Test func `text from others is safe for a terminal, and a line end makes no new message`()
    async throws
  {
    let hostile = "\u{1b}[31mred\u{9b}0m \u{202e}abc\n2026-11-28 10:00:00 you  I never said that"
    let lines = try await printed([message(hostile)], isJSON: false)
    #expect(lines.count == 3)
    #expect(lines[1] == "    2026-11-28 10:00:00 you  I never said that")
    for scalar in lines.joined().unicodeScalars {
      #expect(scalar.properties.generalCategory != .control && scalar != "\u{202e}")
    }
  }

  @Test func `objects have all that is known, and no more`() async throws {
    let lines = try await printed([message("hello", at: 0.25)], isJSON: true)
    #expect(
      lines == [
        #"{"id":"1","account":"me@example.org","conversation":"bob@example.org","kind":"direct","#
          + #""from":"bob@example.org","direction":"in","at":"2026-11-28T10:00:00.250000Z","#
          + #""body":"hello","delayed":false,"origin_id":"o0"}"#,
        #"{"hole":{"before":"2026-11-28T10:00:00.500000Z","#
          + #""after":"2026-11-28T10:00:00.000000Z"}}"#,
      ])
  }

  @Test func `changes of a message and its file are members of it`() async throws {
    var file = message("https://example.org/a%20b.png", at: 1)
    file.file = SharedFile(
      address: "https://example.org/a%20b.png", name: "a b.png", mediaType: "image/png",
      byteCount: 1234, digests: [.sha256(String(repeating: "0", count: 64))], width: 3, height: 4)
    var correction = message("right", at: 3)
    correction.replaces = "o2"
    var reaction = message("👍", at: 4)
    (reaction.replaces, reaction.effect) = ("o2", .reaction)
    var retraction = message("", at: 6)
    (retraction.replaces, retraction.effect) = ("o5", .retraction)
    let messages = [
      file, message("wrong", at: 2), correction, reaction, message("gone", at: 5), retraction,
    ]
    let objects = try await printed(messages, isJSON: true)
    #expect(objects.count == 4)
    #expect(
      objects[0].contains(
        #""file":{"url":"https://example.org/a%20b.png","name":"a b.png","type":"image/png","#
          + #""size":1234,"sha256":""# + String(repeating: "0", count: 64)
          + #"","width":3,"height":4}"#))
    #expect(objects[1].contains(#""body":"right""#))
    #expect(objects[1].contains(#""edited":{"first":"wrong"}"#))
    #expect(objects[1].contains(#""reactions":[{"from":"bob@example.org","emoji":["👍"]}]"#))
    #expect(objects[2].contains(#""retracted":"author""#) && !objects[2].contains("gone"))
    let lines = try await printed(messages, isJSON: false)
    #expect(lines[0].hasSuffix("https://example.org/a%20b.png") && lines[0].contains("a b.png"))
    #expect(lines[1].hasSuffix("Bob Miller  right"))
    #expect(lines[2].hasSuffix("(message deleted)"))
  }

  @Test func `a long text is printed whole`() async throws {
    let body = String(repeating: "x", count: Message.bodyLimit + 5)
    let lines = try await printed([message(body)], isJSON: false)
    #expect(lines[0].hasSuffix("  " + body))
    #expect(try await printed([message(body)], isJSON: true)[0].contains("\"\(body)\""))
  }

  @Test func `a message of the user has its delivery`() async throws {
    let database = try await AccountDatabase.inMemory()
    let typed = try await database.outbox.enqueue(
      body: "hi", to: Self.bob, from: Self.account, originID: "t1", at: Self.start
    ).message
    let text = JSONLine(typed, of: Self.account, kind: "direct", first: nil).text
    #expect(text.contains(#""direction":"out""#) && text.contains(#""delivery":"queued""#))
  }
}
