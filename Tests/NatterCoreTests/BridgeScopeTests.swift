import Synchronization
import Testing
import XMPP

@testable import NatterCore

@Suite struct BridgeScopeTests {
  private let room = JID(local: "tea", domain: "rooms.example")
  private let contact = JID(local: "bob", domain: "example.org")

  private func scope(_ names: String...) throws -> BridgeScope {
    try #require(BridgeScope(names))
  }

  @Test func `an address within rooms is covered only as a room`() throws {
    for both in [
      try scope("rooms").intersection(scope("tea@rooms.example")),
      try scope("tea@rooms.example").intersection(scope("rooms")),
    ] {
      #expect(both.contains(room, .room))
      // The other side of a chat cannot make itself one that is covered.
      #expect(!both.contains(room, .direct))
      #expect(!both.contains(contact, .direct))
      #expect(both.names == ["tea@rooms.example"])
      #expect(!both.isEmpty)
    }
    #expect(try scope("rooms").intersection(scope("direct")).isEmpty)
  }

  @Test func `an intersection covers what both cover, whatever their order`() throws {
    let scopes = [
      try scope("all"), try scope("rooms"), try scope("direct"), try scope("tea@rooms.example"),
      try scope("rooms", "bob@example.org"), try scope("bob@example.org", "tea@rooms.example"),
      BridgeScope(),
    ]
    for left in scopes {
      for right in scopes {
        let both = left.intersection(right)
        for (jid, kind) in [
          (room, Conversation.ConversationKind.room), (room, .direct), (contact, .direct),
          (contact, .room),
        ] {
          #expect(
            both.contains(jid, kind) == (left.contains(jid, kind) && right.contains(jid, kind)))
        }
        #expect(both.intersection(right).isSuperset(of: both))
        #expect(left.isSuperset(of: both))
        #expect(right.isSuperset(of: both))
      }
    }
  }

  @Test func `a scope is a superset of one that covers less, and of no other`() throws {
    #expect(try scope("all").isSuperset(of: scope("rooms", "bob@example.org")))
    #expect(try scope("rooms", "bob@example.org").isSuperset(of: scope("rooms")))
    #expect(try !scope("rooms").isSuperset(of: scope("rooms", "bob@example.org")))
    #expect(try !scope("rooms").isSuperset(of: scope("tea@rooms.example")))
    #expect(try !scope("tea@rooms.example").isSuperset(of: scope("rooms")))
  }

  @Test func `a use of a right is noted where it is held or given, and nowhere else`() async {
    let log = Uses()
    let rights = BridgeRights(
      held: { permission, _ in
        permission == .readRooms ? .held(.all) : .refused(.notAsked)
      },
      ask: { permission, _ in
        permission == .readMessages ? .held(.all) : .refused(.declined)
      },
      note: { permission, _ in log.add(permission) })
    _ = rights.current(.readRooms, in: contact)
    for permission in [BridgePermission.readRooms, .readMessages, .sendMessages] {
      _ = await rights.decision(permission, in: contact)
    }
    #expect(log.all == [.readRooms, .readMessages])
  }
}

private final class Uses: Sendable {
  private let permissions = Mutex<[BridgePermission]>([])

  var all: [BridgePermission] { permissions.withLock(\.self) }
  func add(_ permission: BridgePermission) { permissions.withLock { $0.append(permission) } }
}
