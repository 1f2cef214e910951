import Foundation
import TestSupport
import Testing

extension Conversations {
  /// `natter send` beside a screen, both without a connection: nothing typed is lost, and nothing
  /// comes twice (flows.md, "Sending").
  @Suite struct SpooledMessageTests {
    private static func holds(_ text: String, _ path: String) -> Bool {
      FileManager.default.contents(atPath: path)?.range(of: Data(text.utf8)) != nil
    }

    @Test(arguments: ServerKind.allCases)
    func `what is sent beside a screen without a connection waits there, and arrives once`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let first = try alice.natter()
      try await first.waitsOnline()
      try await first.open(chat: bob.jid)
      #expect(await first.quit() == .exited(0))

      let screen = try await first.startsWithoutServer()
      try await screen.open(chat: bob.jid)
      let home = first.home
      try home.folder.write(alice.password + "\n", to: "password")
      func send(_ text: String) async throws {
        let run = try await CommandRun(
          Programs.natter,
          [
            "send", "--account", alice.jid, "--server", "127.0.0.1:9", "--tls", "starttls",
            "--password-file", home.folder.path("password"), bob.jid, text,
          ],
          environment: home.environment(), directory: home.home.path, upTo: .seconds(60))
        #expect(run.status == .exited(69), "\(run.errorText)")
        #expect(run.errorText.contains("keeps the message"), "\(run.errorText)")
      }
      try await screen.type("my own draft")
      try await send("from a script")
      try await screen.shows("from a script", tick: ".")
      try await screen.shows("> my own draft")
      // A crash costs half a second of what is typed: this is older by then.
      let database = home.data.appending(path: "accounts/\(alice.jid).db").path
      try #require(
        try await polls {
          ["", "-wal"].contains { Self.holds("my own draft", database + $0) }
        }, "the draft was not saved")
      // Not even a screen that ends at once loses it, and one that takes nothing at the moment has
      // it later.
      screen.terminal.signal(SIGSTOP)
      try await send("to a stopped screen")
      await screen.kill()
      let again = try first.startsAgain()
      try await again.waitsOnline()
      try await peer.message { $0.body == "from a script" }
      try await peer.message { $0.body == "to a stopped screen" }
      try await again.shows("to a stopped screen", "> my own draft")
      #expect(again.count(of: "from a script") == 1)
      #expect(again.count(of: "to a stopped screen") == 1)
      let left = try FileManager.default.contentsOfDirectory(
        atPath: home.data.appending(path: "accounts/\(alice.jid).db.outbox").path)
      #expect(left.isEmpty)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
