import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The search on the server, from a list of matches.
@Suite struct ServerSearchTests {
  /// A server that returns the same for each search, and stores what is fetched.
  private actor ScriptedSearch: ServerSearching {
    var offer: ServerSearchOffer
    var result: ServerSearchOutcome
    private let ports: FakePorts
    /// What is stored when a message is fetched; `nil`: nothing is.
    var brings: Message?
    private(set) var queries: [String] = []

    init(
      _ result: ServerSearchOutcome, offer: ServerSearchOffer = .offered, brings: Message? = nil,
      into ports: FakePorts
    ) {
      (self.result, self.offer, self.brings, self.ports) = (result, offer, brings, ports)
    }

    func searchOffer() -> ServerSearchOffer { offer }
    func searchServer(for query: SearchQuery, limit: Int) -> ServerSearchOutcome {
      queries.append(query.text)
      return result
    }
    func fetchSurroundings(of match: ServerMatch) async -> HistoryOutcome {
      guard let brings else { return .offline }
      await ports.add([brings])
      return .fetched
    }
  }

  private let lifetime = Lifetime()
  private let consent = ServerSearchConsent()
  private final class Opened { var rows: [FoundMessages.Row] = [] }
  private let opened = Opened()

  private func match(_ id: String, _ body: String, at minutes: Double) -> ServerMatch {
    var stored = message(0, body, at: minutes)
    stored = Message(
      id: Message.ID(0), conversation: stored.conversation, sender: stored.sender,
      direction: .incoming, body: body, sentAt: stored.sentAt, originID: nil, stanzaID: id)
    return ServerMatch(id: id, stamp: stored.sentAt, message: stored)
  }

  /// A search that lists the matches in all conversations.
  private func search(_ query: String, _ ports: FakePorts, _ server: ScriptedSearch?) async
    -> MessageSearch
  {
    var own = SearchedAccount(
      jid: .alice, index: 0, searching: ports, archive: ports, name: { $0.local ?? "" },
      author: { $0.sender.local ?? "" })
    own.server = server
    let search = MessageSearch(
      query, in: .bob,
      SearchContext(
        format: testFormat(), now: { .afternoon }, lifetime: lifetime, own: own, others: { [] },
        names: { [] }, history: nil, open: { row, _ in opened.rows.append(row) }, goBack: {},
        report: { _ in }, consent: consent)
    ) { _, _ in }
    await lifetime.settle()
    search.changeScope()
    await lifetime.settle()
    return search
  }

  /// A search for roses, of which the server has one more, and may learn the terms.
  private func searchOfOldRose(_ ports: FakePorts) async -> (MessageSearch, ScriptedSearch) {
    let server = ScriptedSearch(
      .found([match("s1", "old rose", at: -50)], isComplete: true), into: ports)
    consent.accounts = [.alice]
    return (await search("rose", ports, server), server)
  }

  private func press(_ search: MessageSearch) async {
    search.askServer()
    await lifetime.settle()
  }

  @Test func `the first press asks the user, the second one the server, and no key after it`()
    async
  {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0), message(2, "roses", at: 10)])
    let server = ScriptedSearch(
      .found([match("s1", "old rose", at: -50), match("s2", "rose hip", at: 5)], isComplete: true),
      into: ports)
    let search = await search("rose", ports, server)
    #expect(search.hints.contains { $0.text == "Alt+H ask the server" })
    #expect(search.note(isNarrow: false) == "")
    await press(search)
    #expect(
      search.note(isNarrow: false)
        == "Search on the server too: it learns the terms. Alt+H again asks it.")
    #expect(search.note(isNarrow: true) == "Alt+H again: the server learns it")
    #expect(await server.queries == [])
    await press(search)
    #expect(await server.queries == ["rose"])
    let rows = search.list?.rows ?? []
    #expect(rows.map(\.text) == ["roses", "rose hip", "a rose", "old rose"])
    #expect(rows.map(\.mark) == ["", "[server]", "", "[server]"])
    #expect(Set(rows.map(\.id)).count == 4 && search.status == "1/4")
    #expect(
      search.note(isNarrow: false)
        == "2 messages that only the server has; Enter fetches one")
    // Typing asks nothing, and the user was asked once.
    search.edit("roses", cursor: 5)
    await lifetime.settle()
    #expect(search.list?.rows.map(\.mark) == [""] && search.note(isNarrow: false) == "")
    #expect(await server.queries == ["rose"])
    await press(search)
    #expect(await server.queries == ["rose", "roses"])
  }

  @Test func `a key that comes during the search of the account asks the user when that ends`()
    async
  {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0)])
    let server = ScriptedSearch(.found([], isComplete: true), into: ports)
    let search = await search("rose", ports, server)
    search.edit("roses", cursor: 5)
    search.askServer()
    search.askServer()
    #expect(search.note(isNarrow: false) == "")
    await lifetime.settle()
    #expect(search.note(isNarrow: true) == "Alt+H again: the server learns it")
    #expect(await server.queries == [])
    // What is typed after the key is not what it was pressed for.
    search.edit("rose", cursor: 4)
    search.askServer()
    search.edit("ro", cursor: 2)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == "")
  }

  @Test func `another order keeps what the server found, and asks it nothing`() async {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0), message(2, "roses", at: 10)])
    let server = ScriptedSearch(
      .found([match("s1", "old rose", at: -50), match("s2", "rose hip", at: 5)], isComplete: true),
      into: ports)
    consent.accounts = [.alice]
    let search = await search("rose", ports, server)
    await press(search)
    let newest = ["roses", "rose hip", "a rose", "old rose"]
    #expect(search.list?.rows.map(\.text) == newest)
    let note = search.note(isNarrow: false)
    search.changeOrder()
    await lifetime.settle()
    // The best ones that are stored, then those that have no rank.
    let best = search.list?.rows ?? []
    #expect(best.map(\.mark) == ["", "", "[server]", "[server]"])
    #expect(best.suffix(2).map(\.text) == ["rose hip", "old rose"])
    #expect(search.status == "1/4" && search.note(isNarrow: false) == note)
    search.changeOrder()
    await lifetime.settle()
    #expect(search.list?.rows.map(\.text) == newest && search.status == "1/4")
    #expect(await server.queries == ["rose"])
    // Another query has nothing of it.
    search.edit("roses", cursor: 5)
    await lifetime.settle()
    search.changeOrder()
    await lifetime.settle()
    #expect(search.list?.rows.map(\.mark) == [""] && search.note(isNarrow: false) == "")
  }

  @Test func `keys in quick succession change the order, and list each message once`() async {
    let (search, server) = await searchOfOldRose(
      FakePorts(messages: [message(1, "a rose", at: 0), message(2, "roses", at: 10)]))
    // The search on the server follows the list in its new order.
    search.changeOrder()
    search.askServer()
    await lifetime.settle()
    #expect(search.isBestFirst && search.list?.rows.map(\.mark) == ["", "", "[server]"])
    #expect(await server.queries == ["rose"])
    search.changeOrder()
    search.changeOrder()
    search.changeOrder()
    search.askServer()
    await lifetime.settle()
    #expect(search.list?.rows.map(\.text) == ["roses", "a rose", "old rose"])
    #expect(search.status == "1/3")
    #expect(await server.queries == ["rose"])
  }

  @Test
  func `a message that is fetched before the list has another order leaves it in the old one`()
    async
  {
    let (search, _) = await searchOfOldRose(FakePorts(messages: [message(1, "a rose", at: 0)]))
    await press(search)
    search.changeOrder()
    #expect(!search.open(1))
    await lifetime.settle()
    #expect(!search.isBestFirst && search.list?.rows.map(\.text) == ["a rose", "old rose"])
    search.changeOrder()
    await lifetime.settle()
    #expect(search.isBestFirst && search.list?.isBestFirst == true)
  }

  @Test func `a repeated search on the server replaces what it found before`() async {
    let (search, server) = await searchOfOldRose(FakePorts(messages: [message(1, "a rose", at: 0)]))
    await press(search)
    #expect(!search.open(1))
    await lifetime.settle()
    let unanswered = "no answer from the server; Alt+H asks again"
    #expect(search.note(isNarrow: false) == unanswered)
    // Another order keeps the row, and what is said of it.
    search.changeOrder()
    await lifetime.settle()
    #expect(search.list?.rows.map(\.mark) == ["", "[server]"])
    #expect(search.note(isNarrow: false) == unanswered)
    await press(search)
    #expect(await server.queries == ["rose", "rose"])
    #expect(search.list?.rows.map(\.mark) == ["", "[server]"] && search.status == "1/2")
  }

  @Test func `only results that match here are listed`() async {
    let ports = FakePorts()
    let server = ScriptedSearch(
      .found(
        [
          match("s1", "all there is", at: 1), match("s2", "a rose and a thorn", at: 2),
          match("s3", "rose, https://example.org", at: 3), match("s4", "primrose", at: 4),
        ], isComplete: false), into: ports)
    consent.accounts = [.alice]
    let search = await search("rose -thorn", ports, server)
    await press(search)
    #expect(search.list?.rows.map(\.text) == ["rose, https://example.org"])
    #expect(
      search.note(isNarrow: false)
        == "one among the newest, which only the server has; Enter fetches it")
    for (query, count) in [
      ("rose has:link", 1), ("rose has:file", 0), ("rose from:bob", 2), ("rose from:me", 0),
      ("rose in:chloe", 0), ("rose is:unread", 0), ("rose has:location", 0),
    ] {
      search.edit(query, cursor: query.count)
      await lifetime.settle()
      await press(search)
      #expect(search.count == count, "\(query)")
    }
    search.edit("has:link", cursor: 8)
    await lifetime.settle()
    await press(search)
    #expect(search.note(isNarrow: false) == "The server searches for terms only: type one.")
  }

  /// All that it found may be stored here already.
  @Test func `a server that has not searched everything may have more`() async {
    let server = ScriptedSearch(.found([], isComplete: false), into: FakePorts())
    consent.accounts = [.alice]
    let search = await search("rose", FakePorts(), server)
    await press(search)
    #expect(
      search.note(isNarrow: false) == "no other message in the part that the server searched")
    #expect(search.note(isNarrow: true) == "no other in the part searched")
  }

  @Test(arguments: [
    (ServerSearchOffer.notOffered, "This server cannot search its archive;"),
    (.offline, "no answer from the server; Alt+H asks again"),
    (.early, "still signing in; Alt+H asks again"),
  ])
  func `where the server does not offer it, that is said`(offer: ServerSearchOffer, text: String)
    async
  {
    let ports = FakePorts(messages: [message(1, "a rose", at: 0)])
    let server = ScriptedSearch(.notOffered, offer: offer, into: ports)
    let search = await search("rose", ports, server)
    await press(search)
    #expect(search.note(isNarrow: false).hasPrefix(text))
    #expect(await server.queries == [] && search.count == 1)
  }

  @Test func `Enter fetches a message, and shows it once it is stored`() async {
    let ports = FakePorts()
    let found = match("s1", "old rose", at: -50)
    var stored = message(7, "old rose", at: -50)
    stored = Message(
      id: stored.id, conversation: stored.conversation, sender: stored.sender,
      direction: .incoming, body: stored.body, sentAt: stored.sentAt, originID: nil,
      stanzaID: "s1")
    consent.accounts = [.alice]
    for brings in [nil, stored] {
      let server = ScriptedSearch(
        .found([found], isComplete: true), brings: brings, into: ports)
      let search = await search("rose", ports, server)
      await press(search)
      #expect(!search.open(0))
      await lifetime.settle()
      #expect(search.isOver == (brings != nil))
      guard brings == nil else { continue }
      #expect(search.note(isNarrow: false) == "no answer from the server; Alt+H asks again")
    }
    #expect(opened.rows.map(\.id.message) == [Message.ID(7)])
    #expect(opened.rows.map(\.mark) == [""])
  }

  @Test func `a long text is searched as a whole, and only its beginning is kept`() async {
    let ports = FakePorts()
    let text = String(repeating: "a thorn ", count: 2000)
    let server = ScriptedSearch(
      .found([match("s1", text, at: 1), match("s2", text + "a rose", at: 2)], isComplete: true),
      into: ports)
    consent.accounts = [.alice]
    let search = await search("rose", ports, server)
    await press(search)
    #expect(search.list?.rows.map(\.server?.id) == ["s2"])
    #expect(search.list?.rows.first?.server?.message.body.utf8.count == Message.bodyLimit)
  }

  @Test func `without a server nothing is asked`() async {
    let search = await search("rose", FakePorts(messages: [message(1, "a rose", at: 0)]), nil)
    #expect(!search.hints.contains { $0.text.contains("Alt+H") })
    await press(search)
    #expect(search.note(isNarrow: false).hasPrefix("This server cannot search"))
  }
}
