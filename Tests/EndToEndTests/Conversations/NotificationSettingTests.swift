import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Notification settings of rooms, stored at the server for other clients of the account
  /// (XEP-0492), here one that is not Natter.
  @Suite struct NotificationSettingTests {
    private let node = "urn:xmpp:bookmarks:1"

    private func items(of peer: SlixmppPeer) async throws -> String {
      try await peer.ask(
        "get",
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='\(node)'/></pubsub>")
    }

    private func expects(
      _ wanted: String, at peer: SlixmppPeer, unless unwanted: String = "no such text"
    ) async throws {
      // Each question waits for its answer.
      let end = ContinuousClock.now + Duration.seconds(60).withPatience
      repeat {
        let found = try await items(of: peer)
        if found.contains(wanted), !found.contains(unwanted) { return }
      } while ContinuousClock.now < end
      Issue.record("no \(wanted) in \(try await items(of: peer))")
    }

    @Test(arguments: ServerKind.allCases)
    func `a setting goes to the other client, and a setting of the other comes here`(
      kind: ServerKind
    )
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let other = try await alice.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      try await expects(room, at: other)
      try await natter.say("/notify none")
      try await expects("<never", at: other)
      try await natter.say("/notify mentions")
      try await expects("<on-mention", at: other, unless: "<never")

      // The other client chooses something else, and keeps something of its own beside it.
      let answer = try await other.ask(
        "set",
        """
        <pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='\(node)'><item id='\(room)'>\
        <conference xmlns='\(node)' autojoin='true'><nick>alice</nick><extensions>\
        <notify xmlns='urn:xmpp:notification-settings:1'><always/></notify><mine xmlns='urn:example:mine'/>\
        </extensions></conference></item></publish></pubsub>
        """)
      #expect(answer.contains("result"), "\(answer)")
      var isReported = false
      for _ in 0..<100 where !isReported {
        try await natter.say("/notify")
        isReported = await natter.terminal.waits(upTo: .milliseconds(100)) {
          $0.contains("every message of this")
        }
      }
      #expect(isReported)
      try await natter.say("/notify none")
      try await expects("<never", at: other, unless: "<always")
      #expect(try await items(of: other).contains("urn:example:mine"))
      #expect(await natter.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a setting that was chosen offline is sent with the next connection, after a restart`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let other = try await alice.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      let home = try Home()
      let natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      try await expects(room, at: other)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.say("/notify mentions")
      try await natter.shows("messages here that mention you")
      #expect(await natter.quit() == .exited(0))
      #expect(try await !items(of: other).contains("on-mention"))
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await expects("<on-mention", at: other)
      #expect(await again.quit() == .exited(0))
      await other.signOut()
    }
  }
}
