import NatterCore
import TestSupport
import Testing
import XMPP

@testable import MessagingService

@Suite struct SendSelectionTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let carol = JID(local: "carol", domain: "example.net")

  private func ids(_ messages: [Message]) -> [String] { messages.compactMap(\.originID) }

  @Test func `written messages and those that wait for their archive are left out`() {
    var session = OutboxSession()
    _ = session.claim([.queued("m1")], except: [])
    let queued = [Message.queued("m1"), .queued("m2", to: carol), .queued("m3"), .queued("m4")]
    #expect(ids(SendSelection.unwritten(of: queued, in: session, except: [carol])) == ["m3", "m4"])
    #expect(ids(SendSelection.unwritten(of: queued, in: session)) == ["m2", "m3", "m4"])
  }

  @Test(arguments: [
    (MessageRoute.direct, true, false), (.room, true, false), (.occupant, true, false),
    (.held, false, false), (.outside, false, true),
  ])
  func `a message is ready if it has a route, and fails if it can have none`(
    route: MessageRoute, isReady: Bool, isOutside: Bool
  ) {
    let selection = SendSelection(messages: [.queued("m1", to: room)], routes: [room: route])
    #expect(selection.ready.isEmpty != isReady)
    #expect(selection.outside.isEmpty != isOutside)
  }

  @Test func `a room that is not joined yet holds up no other conversation`() {
    let selection = SendSelection(
      messages: [.queued("m1"), .queued("m2", to: room), .queued("m3", to: carol), .queued("m4")],
      routes: [room: .held])
    #expect(ids(selection.ready) == ["m1", "m3", "m4"])
  }

  @Test func `a conversation without a route in the table is a contact's`() {
    let selection = SendSelection(messages: [], routes: [room: .room])
    #expect(selection.route(of: .queued("m1")) == .direct)
    #expect(selection.route(of: .queued("m2", to: room)) == .room)
  }
}
