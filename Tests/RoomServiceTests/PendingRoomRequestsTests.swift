import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

@Suite struct PendingRoomRequestsTests {
  private typealias Caller = AsyncThrowingStream<Void, any Error>

  private let room = RoomStanza.room
  private let guest = JID(local: "dave", domain: "example.org")
  private var sender: JID { get throws { try #require(room.with(resource: "alice")) } }

  private func request(_ kind: PendingRoomRequests.RequestKind, attempt: Int = 1)
    -> PendingRoomRequests.Request
  {
    PendingRoomRequests.Request(kind: kind, room: room, attempt: attempt)
  }

  private func error(_ id: String) -> MessageStanza {
    MessageStanza(
      Element(
        "message", Namespace.client, ["type": "error", "id": id],
        [StanzaError(.cancel, .forbidden).element]))
  }

  @Test func `a subject is taken by its id, or by the user's nick and its text`() throws {
    for (id, nick, expected) in [("1", "bob", 1), ("2", "alice", 1), ("2", "bob", 0)] {
      var requests = PendingRoomRequests()
      requests.add(request(.subject("Day", Caller.makeStream().continuation)), id: "1")
      var message = RoomStanza.subject("Day", from: "alice").element
      message["id"] = id
      let callers = requests.takeFulfilled(
        by: MessageStanza(message), from: try sender, nick: nick)
      #expect(callers.count == expected)
      #expect(requests.count == 1 - expected)
    }
  }

  @Test func `the room refuses what it was asked for, and other occupants do not`() throws {
    var requests = PendingRoomRequests()
    requests.add(request(.voice), id: "1")
    #expect(requests.takeRefused(by: error("1"), from: try sender, attempt: { _ in 1 }) == nil)
    #expect(requests.takeRefused(by: error("2"), from: room, attempt: { _ in 1 }) == nil)
    // The user has left and come back since, or forgotten the room.
    #expect(requests.takeRefused(by: error("1"), from: room, attempt: { _ in 2 }) == nil)
    #expect(requests.takeRefused(by: error("1"), from: room, attempt: { _ in nil }) == nil)
    #expect(requests.takeRefused(by: error("1"), from: room, attempt: { _ in 1 }) != nil)
    #expect(requests.takeRefused(by: error("1"), from: room, attempt: { _ in 1 }) == nil)
  }

  @Test func `a guest may refuse an invitation, from any client`() throws {
    var requests = PendingRoomRequests()
    requests.add(request(.guest(guest)), id: "1")
    let client = try #require(guest.with(resource: "phone"))
    #expect(requests.takeRefused(by: error("1"), from: client, attempt: { _ in 1 }) != nil)
  }

  @Test func `requests of an earlier visit end with the first of the next`() {
    var requests = PendingRoomRequests()
    requests.add(request(.voice), id: "1")
    requests.add(request(.guest(guest)), id: "2")
    #expect(requests.count == 2)
    requests.add(request(.voice, attempt: 2), id: "3")
    #expect(requests.count == 1)
  }

  @Test func `a caller learns that the connection is gone`() async {
    var requests = PendingRoomRequests()
    let (answers, caller) = Caller.makeStream()
    requests.add(request(.subject("Day", caller)), id: "1")
    requests.end()
    #expect(requests.count == 0)
    await #expect(throws: ChannelError.notConnected) { for try await _ in answers {} }
  }
}
