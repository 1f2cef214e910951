import ExportService
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// What `natter export` writes of a database, in the user's language.
@Suite struct ExportCommandTests {
  private static let account = JID(local: "me", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")
  private static let room = JID(local: "tea", domain: "rooms.example.org")
  private static let carol = JID(
    local: "tea", domain: "rooms.example.org", resource: "carol")

  /// 28 November 2026, 10:00:00 UTC.
  private static let start = Date(timeIntervalSince1970: 1_795_860_000)

  private func message(
    _ body: String, at seconds: Double, in conversation: JID = Self.bob, from sender: JID? = nil
  ) -> IncomingMessage {
    IncomingMessage(
      conversation: conversation, sender: sender ?? conversation,
      direction: sender == Self.account ? .outgoing : .incoming, body: body,
      sentAt: Self.start.addingTimeInterval(seconds), originID: "o\(Int(seconds))")
  }

  /// Stores a contact, a room that is not in the list any more, and the messages.
  private func database(_ messages: [IncomingMessage]) async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    try await database.roster.replaceContacts(
      [Contact(jid: Self.bob, name: "Bob Miller")], version: nil)
    _ = try await database.bookmarks.openConversation(of: Self.room, name: "Tea")
    _ = try await database.messages.insert(messages, countsUnread: { _ in false })
    return database
  }

  private func content(
    _ messages: [IncomingMessage], _ addresses: [JID]? = nil, language: String = "en"
  ) async throws -> (source: StoredExport, texts: ExportTexts) {
    let database = try await database(messages)
    let resources = Programs.checkout.appending(path: "Resources/locales")
    let format = ItemFormat(
      localizer: Localizer(
        tag: language, texts: try LocaleCatalogue(language, in: [resources]).text),
      account: Self.account, local: { LocalTime.utc($0) })
    let names = try await StoredNames(database, format: format)
    return (
      StoredExport(
        account: Self.account, database: database, names: names, addresses: addresses),
      ExportTexts(names: names)
    )
  }

  /// The lines of an export as text.
  private func text(
    _ messages: [IncomingMessage], _ addresses: [JID]? = nil,
    in period: ExportPeriod = ExportPeriod()
  ) async throws -> [String] {
    let content = try await content(messages, addresses)
    var lines: [String] = []
    try await HistoryExport(of: content.source, in: period).writeText(content.texts) {
      lines.append($0)
    }
    return lines
  }

  private var messages: [IncomingMessage] {
    [
      message("hello", at: 0), message("two\nlines", at: 60, from: Self.account),
      message("tea?", at: 120, in: Self.room, from: Self.carol),
    ]
  }

  @Test func `all conversations come one after the other, each with its heading`() async throws {
    #expect(
      try await text(messages) == [
        "== Bob Miller <bob@example.org> ==", "2026-11-28 10:00:00 Bob Miller  hello",
        "2026-11-28 10:01:00 you  two\n    lines", "",
        "== Tea <tea@rooms.example.org> ==", "2026-11-28 10:02:00 carol  tea?",
      ])
    #expect(try await text(messages, [Self.room]) == ["2026-11-28 10:02:00 carol  tea?"])
  }

  @Test func `a period has its first moment, and not its last`() async throws {
    let lines = try await text(
      messages, [Self.bob],
      in: ExportPeriod(start: Self.start, end: Self.start.addingTimeInterval(60)))
    #expect(lines == ["2026-11-28 10:00:00 Bob Miller  hello"])
    let none = try await text(
      messages, [Self.bob], in: ExportPeriod(start: Self.start.addingTimeInterval(61)))
    #expect(none == [])
  }

  @Test func `many and long messages are all there, in parts`() async throws {
    let long = String(repeating: "x", count: 600_000)
    let many = (0..<2_100).map { message($0 % 500 == 0 ? long : "\($0)", at: Double($0)) }
    let content = try await content(many, [Self.bob])
    var (sizes, bodies) = ([Int](), [String]())
    try await content.source.read(Self.bob, in: ExportPeriod()) { page in
      sizes.append(page.count)
      for case .message(let message, _) in page { bodies.append(message.body) }
    }
    #expect(bodies == many.map(\.body))
    // A part ends with a second long text, or with as many messages as a page has.
    #expect(sizes == [501, 1000, 599])
  }

  @Test func `a page names people, days and links in the user's language`() async throws {
    var reaction = message("👍", at: 130)
    (reaction.replaces, reaction.effect) = ("o0", .reaction)
    let content = try await content(
      messages + [message("see https://x.test/?a=1&b=2.", at: 90), reaction], language: "fr")
    var html = ""
    try await HistoryExport(of: content.source).writePage(at: Self.start, content.texts) {
      html += $0 + "\n"
    }
    #expect(html.contains("<html lang=\"fr\">"))
    #expect(html.contains("<title>Discussions de me@example.org</title>"))
    #expect(html.contains("<h3>samedi 28 novembre 2026</h3>"))
    #expect(html.contains("<bdi class=\"name\">vous</bdi>\n<time"))
    #expect(html.contains(">10:02</time>"))
    #expect(
      html.contains(
        "see <a href=\"https://x.test/?a=1&amp;b=2\" rel=\"noopener noreferrer\">"
          + "https://x.test/?a=1&amp;b=2</a>.</div>"))
    #expect(html.contains("<p class=\"note\">👍 <bdi>Bob Miller</bdi></p>"))
  }

  @Test(arguments: [
    (ExportFailure.exists(path: "x"), ExitCode.usage), (.notAFile(path: "x"), .usage),
    (.busy(path: "x"), .temporary),
  ])
  func `a file that is in the way has its exit code, and its name in a sentence`(
    failure: ExportFailure, code: ExitCode
  ) throws {
    let shown = CommandFailure(failure, Localizer(tag: "en", texts: try englishTexts()))
    #expect(shown.code == code && shown.text.contains("x ") && !shown.text.contains("cli."))
  }
}
