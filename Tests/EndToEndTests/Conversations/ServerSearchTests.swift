import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The search in the server's archive (XEP-0431).
  @Suite struct ServerSearchTests {
    /// Waits until the archive can be asked.
    private func isSetUp(_ natter: NatterRun) async throws {
      try await natter.waitsOnline()
      try await natter.home.folder.holds("state/natter/natter.log") {
        $0.contains("the session is set up")
      }
    }

    @Test func `Alt+H finds a message that only the server has, and Enter shows it`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .builtIn)
      let bob = try await TestAccount("bob", on: .builtIn)
      let peer = try await bob.slixmpp()
      // A client that has them leaves none for Natter to be delivered: they are in the archive
      // only, and more than the page that a new profile reads.
      let phone = try await alice.slixmpp()
      let bodies =
        (1...40).map { "early \($0)." } + ["a rhubarb cake"] + (1...320).map { "note \($0)." }
      for start in stride(from: 0, to: bodies.count, by: 200) {
        let stanzas = bodies[start...].prefix(200).enumerated().map {
          "<message to='\(alice.jid)' type='chat' id='n\(start + $0)'><body>\($1)</body></message>"
        }
        try await peer.send(xml: stanzas.joined())
        _ = try await peer.roster()
      }
      try await phone.message { $0.body == "note 320." }
      await phone.signOut()
      let natter = try alice.natter(rows: 30)
      try await isSetUp(natter)
      try await natter.open(chat: bob.jid)
      try await natter.shows("note 320.")
      natter.terminal.press(.control("f"))
      try await natter.shows("Search this conversation")
      natter.terminal.type("rhubarb")
      try await natter.shows("not found")
      natter.terminal.press(.tab)
      try await natter.shows("Search all conversations", "not found", "Alt+H")
      natter.terminal.press(.alt("h"))
      try await natter.shows("Search on the server too: it learns the terms.")
      natter.terminal.press(.alt("h"))
      try await natter.shows("[server]", "rhubarb cake", "only the server has")
      natter.terminal.press(.enter)
      try await natter.hides("Search all conversations")
      try await natter.shows("rhubarb cake", "note 1.")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: [ServerKind.prosody, .ejabberd])
    func `a server that cannot search is not asked, and Natter says so`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let natter = try alice.natter(rows: 30)
      try await isSetUp(natter)
      try await natter.open(chat: bob.jid)
      natter.terminal.press(.control("f"))
      try await natter.shows("Search this conversation")
      natter.terminal.type("rhubarb")
      try await natter.shows("not found")
      natter.terminal.press(.tab)
      try await natter.shows("Search all conversations")
      natter.terminal.press(.alt("h"))
      try await natter.shows("This server cannot search its archive;")
      #expect(await natter.quit() == .exited(0))
    }
  }
}
