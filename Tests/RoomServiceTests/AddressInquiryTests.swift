import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// The detection of rooms by asking the servers of unknown addresses.
@Suite struct AddressInquiryTests {
  /// Answers about the addresses that are named, and with an error about others.
  private static func channel(_ known: [String: [(String, String)]]) -> RoomChannel {
    RoomChannel { question in
      guard question.first("query", Namespace.discoInfo) != nil else { return nil }
      guard let identities = known[question["to"] ?? ""] else {
        throw StanzaError(.cancel, .serviceUnavailable)
      }
      let muc = identities.contains { $0.0 == "conference" } ? [XEP0045.namespace] : []
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.discoInfo, [:],
            identities.map {
              Element("identity", Namespace.discoInfo, ["category": $0.0, "type": $0.1])
            } + muc.map { Element("feature", Namespace.discoInfo, ["var": $0]) })
        ])
    }
  }

  @Test(arguments: [
    ("tea@rooms.example.org", AddressInquiry.AddressKind.room), ("bob@example.org", .person),
    ("#chan%irc@gate.example.org", .room), ("nick%irc@gate.example.org", .person),
    ("other%irc@gate.example.org", .unknown), ("bob@gone.example", .unknown),
  ])
  func `the server of an address says what it is`(text: String, kind: AddressInquiry.AddressKind)
    async throws
  {
    let channel = Self.channel([
      "rooms.example.org": [("conference", "text")], "example.org": [("server", "im")],
      "gate.example.org": [("gateway", "irc")],
      "#chan%irc@gate.example.org": [("conference", "irc")],
      "nick%irc@gate.example.org": [("account", "registered")],
    ])
    let jid = try #require(JID(parsing: text))
    #expect(await AddressInquiry(channel: channel).kind(of: jid) == kind)
  }

  private func service(_ store: MemoryBookmarkStore) -> AccountRooms {
    let alice = JID(local: "alice", domain: "example.org")
    let known = FakePorts()
    return AccountRooms.fixture(
      store, addresses: AddressBook(of: alice, rooms: nil, conversations: known, roster: known))
  }

  @Test func `a person who is not known here is not entered either`() async throws {
    let store = MemoryBookmarkStore()
    let service = service(store)
    await service.sessionStarted(
      .fixture, over: Self.channel(["example.net": [("server", "im")]]))
    await #expect(throws: NatterError.self) {
      try await service.join(
        JID(local: "bob", domain: "example.net"), nick: nil, password: nil)
    }
    #expect(await store.stored.isEmpty)
    #expect(await store.opened.isEmpty)
  }

  @Test func `an address beside a known room is at its service`() async throws {
    let service = service(MemoryBookmarkStore(Bookmark(room: RoomStanza.room)))
    let other = JID(local: "den", domain: RoomStanza.room.domain, resource: "bob")
    #expect(await service.hosts(other))
    #expect(await !service.knows(other))
    #expect(await !service.hosts(JID(local: "bob", domain: "example.net", resource: "phone")))
    #expect(await service.rooms(of: [other]) == [other.bare])
  }
}
