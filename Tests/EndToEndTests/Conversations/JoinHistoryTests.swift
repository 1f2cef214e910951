import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The archives of rooms: what was said before one came, and while one was out.
  @Suite struct JoinHistoryTests {
    /// Says the messages of these numbers in `room`, and waits until the room has them.
    private func say(_ numbers: ClosedRange<Int>, in room: String, by peer: SlixmppPeer)
      async throws
    {
      try await peer.send(
        xml: numbers.map {
          "<message to='\(room)' type='groupchat' id='n\($0)'><body>note \($0).</body></message>"
        }.joined())
      try await peer.message { $0.body == "note \(numbers.upperBound)." }
    }

    /// The numbers on the screen from top to bottom.
    private static func notes(on screen: VirtualTerminal) -> [Int] {
      screen.lines.compactMap { $0.firstMatch(of: /note ([0-9]+)\./).flatMap { Int($0.output.1) } }
    }

    @Test(arguments: ServerKind.allCases)
    func
      `a long past stands in its order and is not new; what was said while one was out is there once`(
        kind: ServerKind
      ) async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      try await peer.enter(room, as: "bob")
      try await peer.open(room)
      try await say(1...120, in: room, by: peer)

      let natter = try alice.natter(rows: 50)
      try await natter.waitsOnline()
      // It opens the room before it is in it.
      try await natter.say("/join \(room) ali")
      try await natter.shows("2 people", "note 120.")
      try await natter.expects("the end of the past, in its order") { screen in
        let notes = Self.notes(on: screen)
        guard let first = notes.first, notes.count > 20 else { return false }
        return notes == Array(first...120)
      }
      #expect(!natter.screen.contains(" new"))
      try await say(121...121, in: room, by: peer)
      try await natter.shows("note 121.")

      try await peer.send(
        xml: """
          <iq type='set' to='\(room)' id='kick'><query xmlns='http://jabber.org/protocol/muc#admin'>\
          <item nick='ali' role='none'><reason>a moment</reason></item></query></iq>
          """)
      try await natter.shows("You were kicked")
      try await say(122...130, in: room, by: peer)
      #expect(!natter.screen.contains("note 122."))
      try await natter.say("/join \(room) ali")
      try await natter.shows("note 130.")
      try await say(131...131, in: room, by: peer)
      try await natter.expects("all of it, in its order") { screen in
        let notes = Self.notes(on: screen)
        return notes.count > 20 && notes == Array((notes.first ?? 0)...131)
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
