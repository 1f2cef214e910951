import FoundationEssentials
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// The data that is loaded when the user opens a contact's card.
@Suite struct ContactCardLoaderTests {
  private final class People: ProfileStoring, BlockListChanging, ResourceReading, AvatarCaching {
    struct State {
      var profile: Profile?
      var blocked: [BlockedAddress] = []
      var resources: [ResourcePresence] = []
      var pictures: [String: AvatarPicture] = [:]
    }
    let state = Mutex(State())
    func profile(of jid: JID) -> Profile? { state.withLock(\.profile) }
    func addProfile(of jid: JID) { change { _ in } }
    func setNickname(_ nickname: String?, of jid: JID) { change { $0.nickname = nickname } }
    func setAvatarID(_ id: String?, of jid: JID) { change { $0.avatarID = id } }
    func addAvatarID(_ id: String, of jid: JID) -> String {
      change { $0.avatarID = $0.avatarID ?? id }
      return profile(of: jid)?.avatarID ?? id
    }
    private func change(_ change: (inout Profile) -> Void) {
      state.withLock {
        var profile = $0.profile ?? Profile()
        change(&profile)
        $0.profile = profile
      }
    }
    func blocked() -> [BlockedAddress] { state.withLock(\.blocked) }
    func blockListConfirmedAt() -> Date? { nil }
    func block(_ jid: JID, report: AbuseReport?) -> BlockOutcome { .blocked }
    func unblock(_ jid: JID) -> Bool { true }
    func discardBlocking(of jid: JID) {}
    func resources(of jid: JID) -> [ResourcePresence] { state.withLock(\.resources) }
    func avatar(_ id: String) -> AvatarPicture? { state.withLock { $0.pictures[id] } }
    func keepAvatar(base64: String, id: String?) -> AvatarPicture? {
      // The picture says what it is called; the cache's own tests look at real ones.
      guard id == nil || id == base64 else { return nil }
      let picture = AvatarPicture(
        id: base64, path: "/cache/" + base64, mediaType: "image/png", byteCount: base64.utf8.count)
      state.withLock { $0.pictures[base64] = picture }
      return picture
    }
  }

  private let bob = JID(local: "bob", domain: "example.org")
  private let people = People()
  private let cards = MemoryCardStore()
  private let hub = EventHub()
  private let server = CardServer()
  private let id = String(repeating: "ab", count: 20)

  private func keeper(online: Bool = true) async -> ContactCardLoader {
    let keeper = ContactCardLoader(
      account: JID(local: "alice", domain: "example.org"), cards: cards, profiles: people,
      blockList: people, presence: people, avatars: people, hub: hub,
      now: { Date(timeIntervalSince1970: 1000) })
    if online { await keeper.channelOpened(server.channel) }
    return keeper
  }

  @Test func `the contact's card comes from the node, is kept, and is known at once next time`()
    async throws
  {
    server.state.withLock {
      $0.nodes[CardExchange.node] = CardFormat.vCard4.setting([.city: "Lyon"], in: nil)
    }
    let details = try await keeper().refreshedDetails(of: bob)
    #expect(details.card?.card == PersonCard([.city: "Lyon"]))
    let offline = try await keeper(online: false).details(of: bob)
    #expect(offline.card?.readAt == Date(timeIntervalSince1970: 1000))
    #expect(offline.card?.card == PersonCard([.city: "Lyon"]))
  }

  @Test func `a card that is too large to be read leaves the one that was read before`()
    async throws
  {
    server.state.withLock {
      $0.nodes[CardExchange.node] = CardFormat.vCard4.setting([.city: "Lyon"], in: nil)
    }
    let keeper = await keeper()
    _ = try await keeper.refreshedDetails(of: bob)
    server.state.withLock { $0.outage = StanzaError.answerTooLarge }
    let details = try await keeper.refreshedDetails(of: bob)
    #expect(details.card?.card == PersonCard([.city: "Lyon"]))
  }

  @Test func `a node that is too large is no missing card where there is no older one`()
    async throws
  {
    let exchange = CardExchange(
      account: JID(local: "alice", domain: "example.org"),
      channel: RecordingChannel { iq in
        throw iq.elements.first?.namespace == Namespace.pubSub
          ? StanzaError.answerTooLarge : StanzaError(.cancel, .itemNotFound)
      })
    await #expect(throws: StanzaError.answerTooLarge) { _ = try await exchange.card(of: bob) }
  }

  @Test func `a node that is too large is no missing card where the older one is empty`()
    async throws
  {
    let older = CardFormat.vCardTemp.setting([:], in: nil)
    let exchange = CardExchange(
      account: JID(local: "alice", domain: "example.org"),
      channel: RecordingChannel { iq in
        guard iq.elements.first?.namespace != Namespace.pubSub else {
          throw StanzaError.answerTooLarge
        }
        return Element("iq", Namespace.client, ["type": "result"], [older])
      })
    await #expect(throws: StanzaError.answerTooLarge) { _ = try await exchange.card(of: bob) }
  }

  @Test func `without a node, or where it is closed, the card of old has to do`() async throws {
    server.state.withLock {
      $0.hasNodes = false
      $0.older = CardFormat.vCardTemp.setting([.fullName: "Bob"], in: nil)
    }
    let details = try await keeper().refreshedDetails(of: bob)
    #expect(details.card?.card == PersonCard([.fullName: "Bob"]))
  }

  @Test func `who has no card at all was asked, and that is known`() async throws {
    let details = try await keeper().refreshedDetails(of: bob)
    #expect(details.card?.card == PersonCard() && details.avatar == nil)
  }

  @Test func `each of the contact's apps says what it is and can, once`() async throws {
    people.state.withLock {
      $0.resources = [
        ResourcePresence(resource: "phone", priority: 5), ResourcePresence(resource: "laptop"),
      ]
    }
    server.state.withLock {
      $0.others[Namespace.version] =
        XEP0092Version(name: "Chatty", version: "2", system: "Linux").element
      $0.features = ["urn:xmpp:receipts"]
    }
    let keeper = await keeper()
    let details = try await keeper.refreshedDetails(of: bob)
    #expect(details.clients.map(\.presence.resource) == ["phone", "laptop"])
    #expect(details.clients.map(\.name) == ["Chatty", "Chatty"])
    #expect(details.clients[0].version == "2" && details.clients[0].system == "Linux")
    #expect(details.clients[1].features == ["urn:xmpp:receipts"])
    #expect(details.lastSeen == nil)
    let asked = server.state.withLock(\.asked)
    _ = try await keeper.refreshedDetails(of: bob)
    #expect(server.state.withLock(\.asked) == asked)
  }

  @Test func `of one's own programs it is known which one is this`() async throws {
    let account = JID(local: "alice", domain: "example.org")
    people.state.withLock {
      $0.resources = [ResourcePresence(resource: "phone"), ResourcePresence(resource: "desk")]
    }
    let keeper = await keeper()
    let session = Session(
      jid: try #require(account.with(resource: "desk")), features: StreamFeatures(),
      hasStreamManagement: false)
    await keeper.sessionStarted(session, over: server.channel)
    #expect(try await keeper.details(of: account).clients.map(\.isThisProgram) == [false, true])
    #expect(try await keeper.details(of: bob).clients.allSatisfy { !$0.isThisProgram })
  }

  @Test func `a program that was gone is asked anew, and is nothing of before until then`()
    async throws
  {
    people.state.withLock { $0.resources = [ResourcePresence(resource: "phone")] }
    server.state.withLock {
      $0.others[Namespace.version] =
        XEP0092Version(name: "Chatty", version: "2", system: nil).element
    }
    let keeper = await keeper()
    #expect(try await keeper.details(of: bob).clients.map(\.needsAsking) == [true])
    let known = try await keeper.refreshedDetails(of: bob).clients
    #expect(known.map(\.name) == ["Chatty"] && known.map(\.needsAsking) == [false])
    func receive(type: String, from: String) async {
      let element = Element("presence", Namespace.client, ["type": type, "from": from])
      await keeper.receive([Stanza(element)].compactMap { $0 })
    }
    // Another device of the contact does not matter.
    await receive(type: "unavailable", from: "bob@example.org/laptop")
    #expect(try await keeper.details(of: bob).clients.map(\.name) == ["Chatty"])
    for sender in ["bob@example.org/phone", "bob@example.org"] {
      await receive(type: "unavailable", from: sender)
      let anew = try await keeper.details(of: bob).clients
      #expect(anew.map(\.name) == [nil] && anew.map(\.needsAsking) == [true], "\(sender)")
      server.state.withLock {
        $0.others[Namespace.version] =
          XEP0092Version(name: "Other", version: "3", system: nil).element
      }
      #expect(try await keeper.refreshedDetails(of: bob).clients.map(\.name) == ["Other"])
    }
  }

  @Test func `a contact who is away: since when, and their last status`() async throws {
    server.state.withLock {
      $0.others[XEP0012LastActivity.namespace] = Element(
        "query", XEP0012LastActivity.namespace, ["seconds": "600"], text: "to bed")
    }
    let details = try await keeper().refreshedDetails(of: bob)
    #expect(details.lastSeen == Date(timeIntervalSince1970: 400))
    #expect(details.lastStatus == "to bed")
  }

  @Test(arguments: ["", "-5", "soon", "99999999999999999999"])
  func `a last activity that is none is left out`(seconds: String) async throws {
    server.state.withLock {
      $0.others[XEP0012LastActivity.namespace] = Element(
        "query", XEP0012LastActivity.namespace, ["seconds": seconds])
    }
    #expect(try await keeper().refreshedDetails(of: bob).lastSeen == nil)
  }

  @Test func `the contact's picture is fetched when it is the one that was announced`() async throws
  {
    people.state.withLock { [id] in $0.profile = Profile(avatarID: id) }
    server.state.withLock { [id] in
      $0.nodes[XEP0084.data] = Element("data", XEP0084.data, text: id)
    }
    #expect(try await keeper().refreshedDetails(of: bob).avatar?.id == id)
  }

  @Test func `another picture than the announced one is not taken`() async throws {
    people.state.withLock { [id] in $0.profile = Profile(avatarID: id) }
    server.state.withLock { $0.nodes[XEP0084.data] = Element("data", XEP0084.data, text: "forged") }
    #expect(try await keeper().refreshedDetails(of: bob).avatar == nil)
  }

  @Test func `a picture in the older vCard is found where none is announced`() async throws {
    let space = CardFormat.vCardTemp.namespace
    server.state.withLock { [id] in
      $0.older = Element(
        "vCard", space, [:],
        [Element("PHOTO", space, [:], [Element("BINVAL", space, text: id)])])
    }
    #expect(try await keeper().refreshedDetails(of: bob).avatar?.id == id)
    #expect(people.profile(of: bob)?.avatarID == id)
  }

  @Test func `a picture that is announced while its ID is asked for stays`() async throws {
    let announced = Profile(nickname: "Bob", avatarID: String(repeating: "cd", count: 20))
    server.state.withLock { [id] in
      let space = XEP0084.metadata
      $0.nodes[space] = Element(
        "metadata", space, [:], [Element("info", space, ["id": id, "type": "image/png"])])
      $0.nodes[XEP0084.data] = Element("data", XEP0084.data, text: announced.avatarID ?? "")
    }
    let keeper = await keeper()
    let held = server.channel { CardServer.node(of: $0) == XEP0084.metadata }
    await keeper.channelOpened(held)
    let details = try await held.holds { [bob] in
      try await keeper.refreshedDetails(of: bob)
    } meanwhile: {
      people.state.withLock { $0.profile = announced }
    }
    #expect(details.avatar?.id == announced.avatarID)
    #expect(people.profile(of: bob) == announced)
  }

  @Test func `a client that goes offline while it is asked is not known afterwards`() async throws {
    let phone = ResourcePresence(resource: "phone")
    server.state.withLock {
      $0.others[Namespace.version] =
        XEP0092Version(name: "Chatty", version: "2", system: nil).element
    }
    for sender in ["bob@example.org/phone", "bob@example.org"] {
      people.state.withLock { $0.resources = [phone] }
      let keeper = await keeper()
      let held = server.channel { $0.first("query", Namespace.version) != nil }
      await keeper.channelOpened(held)
      let details = try await held.holds { [bob] in
        try await keeper.refreshedDetails(of: bob)
      } meanwhile: {
        await keeper.receive([Stanza.presence(from: sender, type: "unavailable")])
      }
      // Another program is there by now.
      let client = try #require(details.clients.first)
      #expect(client.name == nil && client.needsAsking, "\(sender)")
      #expect(try await keeper.refreshedDetails(of: bob).clients.map(\.name) == ["Chatty"])
    }
  }

  @Test func `the own card that is changed while it is read stays`() async throws {
    let account = JID(local: "alice", domain: "example.org")
    server.state.withLock {
      $0.nodes[CardExchange.node] = CardFormat.vCard4.setting([.city: "Lyon"], in: nil)
    }
    let changed = StoredCard(
      card: PersonCard([.city: "Nice"]), readAt: Date(timeIntervalSince1970: 900))
    let keeper = await keeper()
    let held = server.channel { CardServer.node(of: $0) == CardExchange.node }
    await keeper.channelOpened(held)
    let details = try await held.holds {
      try await keeper.refreshedDetails(of: account)
    } meanwhile: {
      cards.save(changed, of: account)
    }
    #expect(details.card == changed)
  }

  @Test func `a contact who is offline cannot be asked`() async throws {
    await #expect(throws: NatterError(.offline, "error.offline")) {
      _ = try await keeper(online: false).refreshedDetails(of: bob)
    }
  }

  @Test func `that the contact is blocked is known`() async throws {
    people.state.withLock { [bob] in $0.blocked = [BlockedAddress(jid: bob)] }
    #expect(try await keeper(online: false).details(of: bob).isBlocked)
  }
}
