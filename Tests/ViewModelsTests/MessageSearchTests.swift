import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The search in the open conversation, as it is typed.
@Suite struct MessageSearchTests {
  private func format(_ tag: String) throws -> ItemFormat {
    // Two hours east of Greenwich.
    ItemFormat(
      localizer: Localizer(tag: tag, texts: try texts(of: tag)), account: .alice
    ) { LocalTime.utc($0.addingTimeInterval(7200)) }
  }

  /// 2026-11-28 23:30 in that zone.
  private let now = Date(timeIntervalSince1970: 1_795_901_400)

  private func query(_ text: String, _ tag: String) throws -> SearchQuery {
    SearchQuery(text, vocabulary: SearchVocabulary(format: try format(tag), now: now))
  }

  @Test(arguments: [
    ("en", "from:me after:2026-11-27 has:image is:unread on:today"),
    ("fr", "de:moi après:2026-11-27 avec:image est:non-lu le:aujourd'hui"),
    ("fr", "from:me apres:2026-11-27 has:image is:unread on:today"),
    ("zh-Hans", "来自:我 晚于:2026-11-27 含有:图片 状态:未读 日期:今天"),
    ("zh-Hans", "来自：我 after:2026-11-27 has:图片 is:unread 日期：今天"),
  ])
  func `filters are those of the language, and the English ones`(tag: String, text: String) throws {
    let query = try query(text, tag)
    #expect(query.problems == [] && query.terms == [])
    #expect(query.includesUser && query.isUnread && query.attachments == [.image])
    // Midnight in the user's zone.
    #expect(query.start == Date(timeIntervalSince1970: 1_795_816_800))
    #expect(query.end == Date(timeIntervalSince1970: 1_795_903_200))
  }

  @Test func `days, months and years are times`() throws {
    let day = 86_400.0
    for (text, start, days) in [
      ("on:yesterday", -1.0, 1.0), ("on:2026-11-01", -27, 1), ("on:2026-11", -27, 30),
      ("on:2026", -331, 365),
    ] {
      let query = try query(text, "en")
      let midnight = Date(timeIntervalSince1970: 1_795_816_800)
      #expect(query.start == midnight.addingTimeInterval(start * day), "\(text)")
      #expect(query.end == query.start?.addingTimeInterval(days * day), "\(text)")
    }
    for text in ["on:2026-13", "on:2026-02-30", "on:26", "on:2026-", "on:x"] {
      #expect(try query(text, "en").problems == [text], "\(text)")
    }
    for text in ["on:", "on:9999-12-31", "on:9999"] {
      #expect(try query(text, "en").problems == [], "\(text)")
    }
  }

  private func context(
    _ searching: any MessageSearching, _ lifetime: Lifetime, others: [SearchedAccount] = [],
    gate: Gate? = nil, goBack: @escaping () -> Void = {}, report: @escaping () -> Void = {},
    open: @escaping (FoundMessages.Row, [String]) -> Void = { _, _ in }
  ) throws -> SearchContext {
    SearchContext(
      format: try format("en"), now: { now }, lifetime: lifetime,
      own: account(.alice, 0, searching),
      others: {
        await gate?.wait()
        return others
      }, names: { [] }, history: nil, open: open, goBack: goBack, report: { _ in report() })
  }

  private func account(_ jid: JID, _ index: Int, _ searching: any MessageSearching)
    -> SearchedAccount
  {
    SearchedAccount(
      jid: jid, index: index, searching: searching,
      archive: (searching as? any TimelineReading) ?? FakePorts(), name: { $0.local ?? "" },
      author: { $0.direction == .outgoing ? "You" : $0.sender.local ?? "" })
  }

  /// A search that never ends by itself.
  private actor EndlessSearch: MessageSearching {
    private(set) var queries: [String] = []
    private(set) var cancelled = 0

    func messages(having query: SearchQuery, in conversation: JID, limit: Int) async throws
      -> [Message.ID]
    {
      queries.append(query.text)
      guard query.text != "ros" else { return [Message.ID(7)] }
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      for await _ in stream {}
      withExtendedLifetime(continuation) {}
      cancelled += 1
      throw CancellationError()
    }

    func matches(of query: SearchQuery, limit: Int) async throws -> SearchMatches {
      SearchMatches()
    }
  }

  @Test func `a new key ends the search for the one before it`() async throws {
    let searching = EndlessSearch()
    let lifetime = Lifetime()
    var shown: [Message.ID] = []
    var errors = 0
    let context = try self.context(searching, lifetime, report: { errors += 1 })
    let search = MessageSearch("r", in: .bob, context) { id, _ in shown.append(id) }
    try await until { await searching.queries == ["r"] }
    search.edit("ro", cursor: 2)
    try await until { await searching.queries == ["r", "ro"] }
    search.edit("ros", cursor: 3)
    await lifetime.settle()
    #expect(await searching.cancelled == 2)
    #expect(shown == [Message.ID(7)] && errors == 0)
    #expect(search.status == "1/1")
  }

  @Test func `a filter that is not valid is named beside the number`() async throws {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0)])
    let lifetime = Lifetime()
    let context = try self.context(ports, lifetime)
    let search = MessageSearch("rose on:soon", in: .bob, context) { _, _ in }
    await lifetime.settle()
    #expect(search.status == "not valid: on:soon  1/1")
    search.edit("has:wings", cursor: 9)
    await lifetime.settle()
    #expect(search.status == "not valid: has:wings")
  }

  @Test func `Tab searches all conversations, and lists the matches with who said them`()
    async throws
  {
    let long = String(repeating: "hay ", count: 20) + "rose garden"
    let ports = FakePorts(messages: [
      message(1, "a rose", at: 0), message(2, long, in: .chloe, at: 1),
      message(3, "nothing", at: 2), message(4, "no\nrose", at: 3),
    ])
    let lifetime = Lifetime()
    var opened: [String] = []
    let context = try self.context(
      ports, lifetime,
      open: { row, words in
        opened.append("\(row.id.message.rawValue) \(row.jid.local ?? "") \(words)")
      })
    let search = MessageSearch("rose", in: .bob, context) { _, _ in }
    await lifetime.settle()
    #expect(search.status == "1/2" && search.count == 0 && search.selection == nil)
    search.changeScope()
    await lifetime.settle()
    let rows = try #require(search.list?.rows)
    #expect(rows.map(\.id.message.rawValue) == [4, 2, 1] && search.status == "1/3")
    #expect(rows.map(\.conversation) == ["bob", "chloe", "bob"])
    #expect(rows[0].text == "no rose" && rows[0].ranges == [3..<7])
    // Not before the match, where that is far from the beginning.
    #expect(rows[1].text.hasSuffix("hay rose garden") && rows[1].text.count < 40)
    #expect(search.selection == 0)
    search.moveSelection(5)
    #expect(search.selection == 2 && search.status == "3/3")
    search.moveSelection(-1)
    #expect(search.open(1) && !search.open(3))
    #expect(opened == ["2 chloe [\"rose\"]"])
    search.edit("nowhere", cursor: 7)
    await lifetime.settle()
    #expect(search.count == 0 && search.status == "not found")
    search.changeScope()
    await lifetime.settle()
    #expect(search.list == nil && search.status == "not found")
  }

  @Test func `Tab goes on to all accounts, whose matches are merged by time`() async throws {
    let here = FakePorts(messages: [message(1, "a rose", at: 0), message(2, "roses", at: 4)])
    let there = FakePorts(messages: [
      message(1, "rose there", in: .chloe, at: 2), message(2, "nothing", at: 3),
    ])
    let work = JID(local: "carol", domain: "work.example")
    let lifetime = Lifetime()
    var opened: [String] = []
    var returns = 0
    let context = try self.context(
      here, lifetime, others: [account(work, 1, there)], goBack: { returns += 1 },
      open: { row, _ in opened.append("\(row.id.account) \(row.id.message.rawValue)") })
    let search = MessageSearch("rose", in: .bob, context) { _, _ in }
    await lifetime.settle()
    search.changeScope()
    await lifetime.settle()
    #expect(search.scope == .account && search.title == "Search this account")
    #expect(search.list?.rows.map(\.text) == ["roses", "a rose"])
    #expect(search.list?.rows.allSatisfy { $0.account == nil } == true)
    search.changeScope()
    await lifetime.settle()
    #expect(search.scope == .everywhere && search.status == "1/3")
    let rows = try #require(search.list?.rows)
    #expect(rows.map(\.text) == ["roses", "rose there", "a rose"])
    #expect(rows.map(\.account?.number) == ["1", "2", "1"])
    #expect(rows[1].account?.name == "carol@work.example")
    #expect(rows[0].account?.color != rows[1].account?.color)
    #expect(!search.isBestFirst)
    search.changeOrder()
    await lifetime.settle()
    #expect(search.isBestFirst && search.status == "1/3")
    #expect(await here.calls.last == "findBest rose")
    search.changeOrder()
    await lifetime.settle()
    search.cancel()
    #expect(returns == 1)
    #expect(search.open(1) && opened == ["carol@work.example 1"])
    // The other accounts are given up: from here on it is as with one.
    search.changeScope()
    search.changeScope()
    search.changeScope()
    await lifetime.settle()
    #expect(search.scope == .conversation && search.list == nil)
    search.cancel()
    #expect(returns == 1)
  }

  /// An account that cannot be read.
  private struct BrokenSearch: MessageSearching {
    func messages(having query: SearchQuery, in conversation: JID, limit: Int) async throws
      -> [Message.ID]
    {
      throw NatterError(.storage, "error.storage.read")
    }
    func matches(of query: SearchQuery, limit: Int) async throws -> SearchMatches {
      throw NatterError(.storage, "error.storage.read")
    }
  }

  /// An account that is found to be damaged when a match is read.
  private struct DamagedArchive: MessageSearching, TimelineReading {
    func messages(having query: SearchQuery, in conversation: JID, limit: Int) -> [Message.ID] {
      []
    }
    func matches(of query: SearchQuery, limit: Int) -> SearchMatches {
      let matches = (1...2).map {
        SearchMatches.Match(id: Message.ID($0), conversation: .bob, sentAt: .minutes(3))
      }
      return SearchMatches(matches: matches, count: 2)
    }
    func latest(_ count: Int, in conversation: JID) -> [Message] { [] }
    func messages(before position: MessagePosition, _ count: Int, in conversation: JID)
      -> [Message]
    {
      []
    }
    func messages(after position: MessagePosition, _ count: Int, in conversation: JID)
      -> [Message]
    {
      []
    }
    func messages(inThread id: String, _ count: Int, in conversation: JID) -> [Message] { [] }
    func storedMessage(named id: String, in conversation: JID) -> Message? { nil }
    func storedMessage(_ id: Message.ID) throws -> Message? {
      throw NatterError(.storage, "error.storage.read")
    }
  }

  @Test(arguments: [
    (BrokenSearch() as any MessageSearching, "1/1  not searched: carol@work.example"),
    (DamagedArchive(), "1/3  not searched: carol@work.example"),
  ])
  func `an account that cannot be read is named, and hides the matches of no other`(
    there: any MessageSearching, status: String
  ) async throws {
    let here = FakePorts(messages: [message(1, "a rose", at: 0)])
    let lifetime = Lifetime()
    var errors = 0
    let context = try self.context(
      here, lifetime, others: [account(JID(local: "carol", domain: "work.example"), 1, there)],
      report: { errors += 1 })
    let search = MessageSearch("rose", in: .bob, context) { _, _ in }
    await lifetime.settle()
    search.changeScope()
    search.changeScope()
    await lifetime.settle()
    #expect(search.list?.rows.map(\.text) == ["a rose"] && errors == 1)
    #expect(search.status == status)
  }

  @Test func `accounts that are opened after the end of a search are not kept`() async throws {
    let here = FakePorts(messages: [message(1, "a rose", at: 0)])
    let (lifetime, gate) = (Lifetime(), Gate())
    let context = try self.context(
      here, lifetime, others: [account(JID(local: "carol", domain: "work.example"), 1, here)],
      gate: gate)
    let search = MessageSearch("rose", in: .bob, context) { _, _ in }
    search.cancel()
    gate.open()
    await lifetime.settle()
    search.changeScope()
    search.changeScope()
    await lifetime.settle()
    #expect(search.scope == .conversation)
  }

  @Test func `the palette keeps no matches for a filter that is not valid`() async throws {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0)])
    let lifetime = Lifetime()
    let palette = PaletteViewModel(
      entries: [], memory: RecentChoices(), localizer: try format("en").localizer)
    let search = PaletteMessageSearch(try context(ports, lifetime), palette: palette)
    palette.onMessageSearch = { search.look(for: $0) }
    palette.edit("\"rose", cursor: 5)
    await lifetime.settle()
    #expect(palette.items.map(\.title) == ["bob: a rose"])
    palette.edit("\"has:wings", cursor: 10)
    await lifetime.settle()
    #expect(palette.items.isEmpty && palette.emptyText == "No message matches.")
  }
}
