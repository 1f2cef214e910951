import Diagnostics
import FoundationEssentials
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// Cards in memory.
final class MemoryCardStore: CardStoring {
  private let cards = Mutex<[JID: StoredCard]>([:])

  func card(of jid: JID) -> StoredCard? { cards.withLock { $0[jid.bare] } }
  func save(_ card: StoredCard, of jid: JID) { cards.withLock { $0[jid.bare] = card } }
  func save(_ card: StoredCard, of jid: JID, replacing known: StoredCard?) {
    cards.withLock { if $0[jid.bare]?.readAt == known?.readAt { $0[jid.bare] = card } }
  }
}

@Suite struct ProfilePublisherTests {
  private let account = JID(local: "alice", domain: "example.org")
  private let store = MemoryCardStore()
  private let changes = MemoryPendingChanges()
  private let hub = EventHub()
  private let server = CardServer()

  private func keeper(online: Bool = true) async -> ProfilePublisher {
    let keeper = ProfilePublisher(
      account: account, store: store, changes: changes, hub: hub, log: .none,
      now: { Date(timeIntervalSince1970: 100) })
    if online { await keeper.channelOpened(server.channel) }
    return keeper
  }

  private var published: PersonCard? {
    server.state.withLock { $0.nodes[CardExchange.node].map { CardFormat.vCard4.card(in: $0) } }
  }
  private var older: PersonCard? {
    server.state.withLock { $0.older.map { CardFormat.vCardTemp.card(in: $0) } }
  }

  @Test func `a field is published at once, alone, and is known here then`() async throws {
    let keeper = await keeper()
    #expect(try await keeper.change(.city, to: "Lyon"))
    #expect(try await keeper.change(.country, to: "France"))
    #expect(published == PersonCard([.city: "Lyon", .country: "France"]))
    let profile = try await keeper.profile()
    #expect(profile.card == published && profile.waiting.isEmpty)
    #expect(profile.readAt == Date(timeIntervalSince1970: 100))
    // What is for the contacts is not put where everybody can read it.
    #expect(older == nil)
  }

  @Test func `a change that cannot be read is reported, and does not hold up the others`()
    async throws
  {
    let lines = LogLines()
    await changes.put([
      UnreadableChange(.card, of: ["shoeSize"]), UnreadableChange(.contact, of: ["a.example"]),
    ])
    _ = try await keeper(online: false).change(.city, to: "Lyon")
    let keeper = ProfilePublisher(
      account: account, store: store, changes: changes, hub: hub, log: lines.log)
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(published == PersonCard([.city: "Lyon"]))
    #expect(
      lines.messages == ["a pending change cannot be read, and is not sent: card shoeSize"])
  }

  @Test func `a nickname is published to the contacts too`() async throws {
    let keeper = await keeper()
    #expect(try await keeper.change(.nickname, to: "Ali"))
    #expect(server.state.withLock { $0.nodes[ProfileFetcher.nicknames]?.text } == "Ali")
    #expect(published?[.nickname] == "Ali")
    // Another client has changed it there alone.
    server.state.withLock {
      $0.nodes[ProfileFetcher.nicknames] = Element("nick", ProfileFetcher.nicknames, text: "Lili")
    }
    #expect(try await keeper.refreshed().card[.nickname] == "Lili")
  }

  @Test func `what the server refuses is as it was, and nothing waits`() async throws {
    let keeper = await keeper()
    #expect(try await keeper.change(.note, to: "first"))
    server.state.withLock { $0.refusal = StanzaError(.auth, .forbidden, text: "not you") }
    await #expect(throws: NatterError(.refused, "stanza.forbidden", ["text": "not you"])) {
      _ = try await keeper.change(.note, to: "second")
    }
    let profile = try await keeper.profile()
    #expect(profile.card[.note] == "first" && profile.waiting.isEmpty)
    #expect(await changes.pending(CardChange.self) == [])
  }

  /// ejabberd 23.01 under load, once in hundreds of runs.
  @Test func `a node that the server has not made yet is asked for once more`() async throws {
    let keeper = await keeper()
    server.state.withLock { $0.refusal = StanzaError(.cancel, .itemNotFound) }
    #expect(try await keeper.change(.note, to: "first"))
    #expect(published == PersonCard([.note: "first"]))
  }

  @Test
  func `a card that the server has lost is seen to be lost, and made again by the next change`()
    async throws
  {
    // server-quirks.md, "ejabberd": ejabberd, killed, forgets the node and what was in it.
    let keeper = await keeper()
    #expect(try await keeper.change(.city, to: "Lyon"))
    await keeper.sessionEnded()
    server.state.withLock { $0.nodes = [:] }
    await keeper.sessionStarted(.fixture, over: server.channel)
    // Nothing is claimed to be there that nobody else can read.
    #expect(try await keeper.refreshed().card == PersonCard())
    #expect(try await keeper.change(.country, to: "France"))
    #expect(published == PersonCard([.country: "France"]))
    #expect(try await keeper.profile().card == published)
  }

  @Test func `a card that cannot be read for now is not written anew`() async throws {
    let keeper = await keeper()
    #expect(try await keeper.change(.city, to: "Lyon"))
    server.state.withLock { $0.outage = StanzaError(.wait, .internalServerError) }
    #expect(try await !keeper.change(.country, to: "France"))
    #expect(published == PersonCard([.city: "Lyon"]))
    // Nor is what is known taken for gone.
    await #expect(throws: NatterError.self) { _ = try await keeper.refreshed() }
    let both = PersonCard([.city: "Lyon", .country: "France"])
    #expect(try await keeper.profile().card == both)
    server.state.withLock { $0.outage = nil }
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(published == both)
  }

  @Test func `a card that is too large to be read is not written anew`() async throws {
    let keeper = await keeper()
    #expect(try await keeper.change(.city, to: "Lyon"))
    let writes = server.state.withLock { state in
      state.outage = StanzaError.answerTooLarge
      return state.writes
    }
    await #expect(throws: NatterError(.refused, "error.answerTooLarge")) {
      _ = try await keeper.change(.country, to: "France")
    }
    await #expect(throws: NatterError(.refused, "error.answerTooLarge")) {
      _ = try await keeper.refreshed()
    }
    #expect(server.state.withLock(\.writes) == writes)
    #expect(try await keeper.profile().card == PersonCard([.city: "Lyon"]))
  }

  @Test func `offline a change is kept, and published with the next session`() async throws {
    let keeper = await keeper(online: false)
    #expect(try await !keeper.change(.phone, to: "+33-1"))
    #expect(try await !keeper.change(.phone, to: "+33-2"))
    let before = try await keeper.profile()
    #expect(before.card[.phone] == "+33-2" && before.waiting == [.phone])
    let events = hub.events()
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(published?[.phone] == "+33-2")
    #expect(try await keeper.profile().waiting == [])
    #expect(await events.published(on: hub).contains(.cardChanged(account)))
    // Reported once.
    let writes = server.state.withLock(\.writes)
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(server.state.withLock(\.writes) == writes)
  }

  @Test func `a kept change that the server refuses is reported, and the others go`() async throws {
    let keeper = await keeper(online: false)
    _ = try await keeper.change(.city, to: "Lyon")
    _ = try await keeper.change(.web, to: "https://a.example")
    server.state.withLock { $0.refusal = StanzaError(.cancel, .notAllowed) }
    let events = hub.events()
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(published == PersonCard([.web: "https://a.example"]))
    let notices = await events.published(on: hub).filter {
      if case .notice = $0 { true } else { false }
    }
    #expect(notices.count == 1)
    #expect(try await keeper.profile().card == PersonCard([.web: "https://a.example"]))
  }

  @Test func `a connection that breaks meanwhile keeps the change for the next session`()
    async throws
  {
    let keeper = await keeper(online: false)
    let broken = server.channel
    await broken.breakDown()
    await keeper.channelOpened(broken)
    #expect(try await !keeper.change(.region, to: "Rhône"))
    #expect(try await keeper.profile().waiting == [.region])
  }

  @Test func `without nodes the older vcard-temp has the card`() async throws {
    server.state.withLock { $0.hasNodes = false }
    let keeper = await keeper()
    #expect(try await keeper.change(.email, to: "alice@example.org"))
    #expect(older == PersonCard([.email: "alice@example.org"]))
    let profile = try await keeper.refreshed()
    #expect(profile.card == older && profile.visibility == nil)
  }

  @Test
  func `a new node takes over what is in vcard-temp, and keeps that up to date`()
    async throws
  {
    server.state.withLock {
      $0.older = CardFormat.vCardTemp.setting([.fullName: "Alice", .city: "Paris"], in: nil)
    }
    let keeper = await keeper()
    #expect(try await keeper.refreshed().card == PersonCard([.fullName: "Alice", .city: "Paris"]))
    #expect(try await keeper.change(.city, to: "Lyon"))
    #expect(published == PersonCard([.fullName: "Alice", .city: "Lyon"]))
    #expect(older == published)
  }

  @Test func `vcard-temp has what is for everybody too, and nothing that is not`()
    async throws
  {
    let keeper = await keeper()
    _ = try await keeper.change(.city, to: "Lyon")
    #expect(try await keeper.setVisibility(.everybody))
    #expect(server.state.withLock { $0.access[CardExchange.node] } == "open")
    #expect(older == PersonCard([.city: "Lyon"]))
    #expect(try await keeper.profile().visibility == .everybody)
    _ = try await keeper.change(.city, to: "Nice")
    #expect(older == PersonCard([.city: "Nice"]))
    #expect(try await keeper.setVisibility(.owner))
    #expect(server.state.withLock { $0.access[CardExchange.node] } == "whitelist")
    #expect(older == PersonCard())
    #expect(published == PersonCard([.city: "Nice"]))
  }

  @Test func `a server that carries over is left to it`() async throws {
    server.state.withLock { $0.carriesOver = true }
    let keeper = await keeper()
    _ = try await keeper.change(.city, to: "Lyon")
    #expect(try await keeper.setVisibility(.everybody))
    #expect(try await keeper.setVisibility(.contacts))
    #expect(server.state.withLock { $0.older } == nil)
    #expect(published == PersonCard([.city: "Lyon"]))
  }

  @Test func `the older card is not emptied while the server cannot say that it carries over`()
    async throws
  {
    server.state.withLock { $0.carriesOver = true }
    let keeper = await keeper()
    _ = try await keeper.change(.city, to: "Lyon")
    server.state.withLock { state in
      state.older = CardFormat.vCardTemp.setting([.city: "Lyon"], in: nil)
      state.discoveryOutage = StanzaError(.wait, .internalServerError)
    }
    #expect(try await keeper.setVisibility(.owner) == false)
    #expect(older == PersonCard([.city: "Lyon"]))
    server.state.withLock { $0.discoveryOutage = nil }
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(older == PersonCard([.city: "Lyon"]))
    #expect(await changes.pending(VisibilityChange.self) == [])
  }

  @Test func `the older card is changed, too, once the server can say who reads the card`()
    async throws
  {
    let keeper = await keeper()
    _ = try await keeper.change(.city, to: "Lyon")
    #expect(try await keeper.setVisibility(.everybody))
    server.state.withLock { $0.settingsOutage = StanzaError(.wait, .internalServerError) }
    #expect(try await keeper.change(.city, to: "Nice") == false)
    server.state.withLock { $0.settingsOutage = nil }
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(older == PersonCard([.city: "Nice"]))
    #expect(await changes.pending(CardChange.self) == [])
  }

  @Test func `two changes at once both arrive`() async throws {
    let keeper = await keeper()
    async let one = keeper.change(.city, to: "Lyon")
    async let other = keeper.change(.country, to: "France")
    #expect(try await [one, other] == [true, true])
    #expect(published == PersonCard([.city: "Lyon", .country: "France"]))
  }

  @Test func `offline nothing can be asked`() async throws {
    let keeper = await keeper(online: false)
    await #expect(throws: NatterError(.offline, "error.offline")) {
      _ = try await keeper.refreshed()
    }
  }

  private func picture(_ id: String) -> OwnPicture {
    OwnPicture(
      id: String(repeating: id, count: 20), base64: "AAAA", mediaType: "image/png", byteCount: 3,
      width: 2, height: 1)
  }

  @Test func `a picture and who may read are chosen offline, and sent in the next session`()
    async throws
  {
    let keeper = await keeper(online: false)
    #expect(try await !keeper.setVisibility(.everybody))
    #expect(try await !keeper.setPicture(picture("0a")))
    #expect(try await !keeper.setVisibility(.owner))
    #expect(try await !keeper.setPicture(picture("0b")))
    let waiting = try await keeper.profile()
    #expect(waiting.visibility == .owner && waiting.visibilityWaits)
    #expect(waiting.waitingPicture == .show(picture("0b")))
    // Another run of the program.
    let later = await self.keeper(online: false)
    await later.sessionStarted(.fixture, over: server.channel)
    #expect(server.state.withLock { $0.access[CardExchange.node] } == "whitelist")
    let reported = server.state.withLock(\.nodes)[XEP0084.metadata]?.first("info", XEP0084.metadata)
    #expect(reported?["id"] == picture("0b").id)
    #expect(await changes.pending(PictureChange.self) == [])
    #expect(await changes.pending(VisibilityChange.self) == [])
    #expect(try await later.profile().waitingPicture == nil)
  }

  @Test func `a picture that is refused later is forgotten, and that is said`() async throws {
    let keeper = await keeper(online: false)
    #expect(try await !keeper.setPicture(nil))
    server.state.withLock { $0.refusal = StanzaError(.auth, .forbidden) }
    let events = hub.events()
    await keeper.sessionStarted(.fixture, over: server.channel)
    #expect(await changes.pending(PictureChange.self) == [])
    #expect(await changes.pending(VisibilityChange.self) == [])
    let notice = StatusNotice(.error, "stanza.forbidden", ["text": ""])
    #expect(await events.published(on: hub).contains(.notice(notice)))
  }

  @Test func `a picture's bytes are sent before its metadata, and its removal is sent as such`()
    async throws
  {
    let keeper = await keeper()
    let id = String(repeating: "0c", count: 20)
    #expect(try await keeper.setPicture(picture("0c")))
    let nodes = server.state.withLock(\.nodes)
    #expect(nodes[XEP0084.data]?.text == "AAAA")
    let reported = nodes[XEP0084.metadata]?.first("info", XEP0084.metadata)
    #expect(reported?["id"] == id && reported?["bytes"] == "3" && reported?["width"] == "2")
    #expect(try await keeper.setPicture(nil))
    #expect(server.state.withLock { $0.nodes[XEP0084.metadata]?.elements } == [])
    server.state.withLock { $0.refusal = StanzaError(.auth, .forbidden) }
    await #expect(throws: NatterError(.refused, "stanza.forbidden", ["text": ""])) {
      _ = try await keeper.setPicture(nil)
    }
  }
}
