import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import MessagingService

@Suite struct OutboxSessionTests {
  private let room = JID(local: "den", domain: "rooms.example.org")

  /// A session in which a message was written to a contact and a reaction to a room.
  private func used() -> OutboxSession {
    var session = OutboxSession()
    begin(&session)
    let messages = [Message.queued("m1"), .queued("m2", to: room, effect: .reaction)]
    _ = session.claim(messages, except: [])
    session.noteWriting(messages[0], "m1", toRoom: false)
    session.noteWriting(messages[1], "m2", toRoom: true)
    session.noteMissed(["m1"], in: session.number)
    session.noteEndless(room)
    session.noteRefused("m1")
    return session
  }

  private func begin(_ session: inout OutboxSession) {
    session.begin(
      over: RecordingChannel(), limit: StanzaLimit(announced: 10_000),
      at: Date(timeIntervalSince1970: 500))
  }

  @Test func `the end drops what only the connection knew`() {
    var session = used()
    let number = session.number
    session.end()
    #expect(session.channel == nil && session.number == number + 1)
    #expect(session.written.isEmpty && session.missed.isEmpty && session.endless.isEmpty)
    #expect(session.stanzaLimit == .usual && session.start == .distantPast)
  }

  @Test func `until the next start it is known which acknowledgements mean nothing`() {
    var session = used()
    session.end()
    #expect(session.refused == ["m1"] && session.rooms == ["m2": room])
    begin(&session)
    #expect(session.refused.isEmpty && session.rooms.isEmpty && session.effects.isEmpty)
  }

  @Test func `a session that is taken up knows its rooms and what was written to it`() {
    var session = used()
    session.end()
    session.takeUp()
    session.takeUp(["m2", "m3"], rooms: ["m3": room])
    begin(&session)
    #expect(session.written == ["m2", "m3"])
    #expect(session.rooms == ["m2": room, "m3": room])
    #expect(session.effects == ["m2": .reaction])
    // The session after it is a new one.
    session.end()
    begin(&session)
    #expect(session.written.isEmpty && session.rooms.isEmpty && session.effects.isEmpty)
  }

  @Test func `a take-up that was cut off does not count for the next session`() {
    var session = used()
    session.end()
    session.takeUp()
    session.end()
    begin(&session)
    #expect(session.rooms.isEmpty)
  }

  @Test func `a message is claimed once, and not while it is removed`() {
    var session = OutboxSession()
    let messages = [Message.queued("m1"), .queued("m2")]
    #expect(session.claim(messages, except: ["m2"]).map(\.originID) == ["m1"])
    #expect(session.claim(messages, except: []).map(\.originID) == ["m2"])
    #expect(session.claim(messages, except: []).isEmpty)
  }

  @Test func `results of an earlier session change nothing in this one`() {
    var session = used()
    let earlier = session.number - 1
    session.release(["m1"], in: earlier)
    session.undo("m2", and: ["m2"], in: earlier)
    session.noteMissed(["m9"], in: earlier)
    #expect(session.written == ["m1", "m2"] && session.missed == ["m1"])
    #expect(session.rooms == ["m2": room])
    session.undo("m2", and: ["m2"], in: session.number)
    #expect(session.written == ["m1"] && session.rooms.isEmpty)
  }

  @Test func `messages to a room that lost this client are written once more`() {
    var session = used()
    session.noteMissed(["m2"], in: session.number)
    session.forgetWritten(to: room)
    #expect(session.written == ["m1"] && session.missed == ["m1"] && session.rooms.isEmpty)
  }

  @Test func `a message that the user sends again is neither written, refused nor missed`() {
    var session = used()
    session.forget("m1")
    #expect(session.written == ["m2"] && session.refused.isEmpty && session.missed.isEmpty)
  }

  @Test func `the server's acknowledgement counts for what was written to people`() {
    let state = OutboxState()
    state.session = used()
    state.retried = ["m5"]
    _ = state.session.claim([.queued("m3")], except: [])
    // Refused, for a room, written, written in another session, sent again.
    let ids = ["m1", "m2", "m3", "m4", "m5"]
    #expect(ids.filter(state.isSent) == ["m3", "m5"])
    // Before the next session starts, the server reports what it had of the last one.
    state.session.end()
    #expect(ids.filter(state.isSent) == ["m3", "m4", "m5"])
  }
}
