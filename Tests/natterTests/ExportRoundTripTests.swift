import ExportService
import Foundation
import ImportService
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// An export that is imported into an empty profile, and exported there.
@Suite struct ExportRoundTripTests {
  private static let account = JID(local: "me", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")
  private static let phone = JID(local: "bob", domain: "example.org", resource: "phone")
  private static let room = JID(local: "tea", domain: "rooms.example.org")
  private static let carol = JID(local: "tea", domain: "rooms.example.org", resource: "carol")

  /// 28 November 2026, 10:00:00 UTC.
  private static let start = Date(timeIntervalSince1970: 1_795_860_000)

  /// - Parameter id: `nil`: neither its sender nor an archive gave it one.
  private func message(
    _ body: String, at seconds: Double, in conversation: JID = Self.bob,
    from sender: JID = Self.phone, id: String? = nil
  ) -> IncomingMessage {
    IncomingMessage(
      conversation: conversation, sender: sender,
      direction: sender.bare == Self.account ? .outgoing : .incoming, body: body,
      sentAt: Self.start.addingTimeInterval(seconds), originID: id, stanzaID: id.map { "s" + $0 })
  }

  private func message(
    _ content: Message.Content, at seconds: Double, from sender: JID = Self.phone, id: String? = nil
  ) -> IncomingMessage {
    var message = message("", at: seconds, from: sender, id: id)
    message.payload = .content(content, source: "<message/>")
    return message
  }

  /// A change of the message `id`.
  private func change(
    _ effect: Message.Effect?, _ body: String, of id: String, at seconds: Double,
    in conversation: JID = Self.bob, from sender: JID = Self.phone
  ) -> IncomingMessage {
    var change = message(body, at: seconds, in: conversation, from: sender)
    (change.effect, change.replaces) = (effect, id)
    return change
  }

  private func ends(_ end: Message.Call, _ call: String) -> IncomingMessage {
    var message = message("", at: 50, from: end == .missed ? Self.phone : Self.account)
    message.payload = .callEnd(id: call, end)
    return message
  }

  /// All kinds of messages, and of their changes.
  private var messages: [IncomingMessage] {
    var reply = message("yes", at: 2, from: Self.account, id: "m3")
    reply.reply = Message.Reply(id: "m1", author: Self.bob, text: "hello")
    var quoting = message("Quoting", at: 11, id: "m6")
    quoting.reply = Message.Reply(id: "m5", author: Self.bob, text: "a tpyo")
    var file = message("https://example.org/a.png", at: 3, id: "m4")
    file.file = SharedFile(
      address: "https://example.org/a.png", name: "a.png", mediaType: "image/png", byteCount: 12,
      digests: [.sha256(String(repeating: "0", count: 64))], width: 3, height: 4)
    let enigma = XEP0380Encryption(method: "urn:e", name: "Enigma")
    return [
      message("hello\n“tea”?\u{202E}", at: 0.25, id: "m1"), reply, file,
      message("a tpyo", at: 10, id: "m5"), quoting, change(nil, "a typo", of: "m5", at: 12),
      message("gone", at: 13, id: "m7"), change(.retraction, "", of: "m7", at: 14),
      message("geo:48.2,16.4\nCafé", at: 15, id: "m8"),
      message(.call(.ringing), at: 20, id: "c1"), message(.call(.ringing), at: 21, id: "c2"),
      message(.call(.ringing), at: 22, id: "c3"), message(.call(.ringing), at: 23, id: "c4"),
      ends(.missed, "c2"), ends(.answered, "c3"), ends(.declined, "c4"),
      // Of the same second, and without any id.
      message(.encrypted(enigma), at: 30), message(.unknown(namespace: "urn:u"), at: 30),
      message(.encrypted(XEP0380Encryption(method: "urn:f")), at: 31, from: Self.account, id: "e1"),
      message(.encrypted(enigma), at: 32, id: "e2"), change(nil, "readable", of: "e2", at: 33),
      message("hi", at: 40, in: Self.room, from: Self.carol, id: "r1"),
      change(.reaction, "👍 🎉", of: "sr1", at: 41, in: Self.room, from: Self.carol),
      change(.reaction, "👍", of: "sr1", at: 42, in: Self.room, from: Self.account),
      message("aside", at: 43, in: Self.carol, from: Self.carol, id: "p1"),
    ]
  }

  /// The lines of an export without the rows' numbers.
  private func exported(_ database: AccountDatabase) async throws -> [String] {
    let format = ItemFormat(
      localizer: Localizer(tag: "en", texts: try englishTexts()), account: Self.account)
    let source = StoredExport(
      account: Self.account, database: database,
      names: try await StoredNames(database, format: format))
    var lines: [String] = []
    try await HistoryExport(of: source).writeJSONLines(at: Self.start) { line in
      guard line.hasPrefix(#"{"id":"#), let rest = line.range(of: #""account""#) else {
        lines.append(line)
        return
      }
      lines.append("{" + line[rest.lowerBound...])
    }
    return lines
  }

  private func filled() async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    _ = try await database.bookmarks.openConversation(of: Self.room, name: "Tea")
    _ = try await database.messages.insert(messages, countsUnread: { _ in false })
    return database
  }

  private func run(_ path: String, _ database: AccountDatabase) async throws -> ImportReport {
    try await HistoryImporter(store: database.imports).run(
      HistoryImporter.Source(path: path, format: NatterFormat.self),
      ImportSelection(account: Self.account), ImportContext())
  }

  @Test func `an import has the same lines, but for the numbers of rows, and adds none twice`()
    async throws
  {
    let lines = try await exported(try await filled())
    // Retracted and corrected messages are one line each; those that change others have none.
    #expect(lines.count == 1 + 17)
    let folder = try TemporaryFolder("round-trip")
    defer { folder.remove() }
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "a.jsonl")
    let database = try await AccountDatabase.inMemory()
    let report = try await run(folder.path("a.jsonl"), database)
    #expect(report.refused == 0 && report.tally.known == 0 && report.skipped == 1)
    #expect(try await exported(database) == lines)

    let again = try await run(folder.path("a.jsonl"), database)
    #expect(again.tally.added == 0 && again.tally.known == lines.count - 1)
    #expect(try await exported(database) == lines)
  }

  @Test func `calls and messages that cannot be read say what they are`() async throws {
    let lines = try await exported(try await filled())
    for text in [
      #""body":"","content":"call","call":"ringing","#,
      #""content":"call","call":"missed","#, #""content":"call","call":"answered","#,
      #""content":"call","call":"declined","#,
      #""content":"encrypted","encryption":{"method":"urn:e","name":"Enigma"},"#,
      #""content":"encrypted","encryption":{"method":"urn:f"},"delivery":"sent","#,
      #""content":"unknown","namespace":"urn:u","#,
    ] {
      #expect(lines.count { $0.contains(text) } == 1, "\(text)")
    }
    #expect(lines.contains { $0.contains(#""body":"readable""#) && $0.contains(#"{"first":""}"#) })
  }
}
