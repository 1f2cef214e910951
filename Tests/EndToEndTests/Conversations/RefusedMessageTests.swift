import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Messages that came back: the servers that others wrote keep a copy of what they refused in the
  /// sender's archive (server-quirks.md, "Both").
  @Suite struct RefusedMessageTests {
    @Test(arguments: ServerKind.allCases)
    func `a message that came back and is tried again counts as sent when it is, not before`(
      kind: ServerKind
    ) async throws {
      let server = try SharedServers.server(kind)
      let alice = try await TestAccount("alice", on: kind)
      let nobody = TestAccount(unregistered: "nobody", on: server, password: alice.password)
      let first = try alice.natter(rows: 40)
      try await first.waitsOnline()
      try await first.open(chat: nobody.jid)
      try await first.say("is anybody there")
      try await first.shows("is anybody there", "Not sent:")
      #expect(await first.quit() == .exited(0))

      // Tried again without a connection: the archive that is read with the next one has it
      // already, and it is not there yet.
      let second = try await first.startsWithoutServer()
      try await second.open(chat: nobody.jid)
      try await second.shows("is anybody there", "Not sent:")
      try await second.say("/retry")
      try await second.hides("Not sent:")
      #expect(await second.quit() == .exited(0))
      try await server.addUser(nobody.name, password: nobody.password)
      let peer = try await nobody.slixmpp()
      let third = try first.startsAgain(rows: 40)
      try await third.waitsOnline()
      try await peer.message { $0.body == "is anybody there" }
      try await third.open(chat: nobody.jid)
      try await third.expects("that it is sent") { screen in
        screen.lines.contains { $0.contains("is anybody there") && $0.hasSuffix("✓") }
      }
      #expect(third.count(of: "is anybody there") == 1)
      #expect(await third.quit() == .exited(0))
      await peer.signOut()
    }

    private func send(
      _ words: [String], input: String = "", home: Home, _ account: TestAccount
    ) async throws -> CommandRun {
      try home.folder.write(account.password + "\n", to: "password")
      return try await CommandRun(
        Programs.natter,
        ["send"] + NatterRun.options(account.jid, on: account.server)
          + ["--password-file", home.folder.path("password")] + words,
        environment: home.environment(), directory: home.home.path, input: input,
        upTo: .seconds(120))
    }

    @Test
    func
      `what is stored no more for somebody who is away is sent: he has it from his archive, once`()
      async throws
    {
      var options = XMPPServerOptions()
      options.offlineLimit = 1
      let server = try await EjabberdServer(options)
      let home = try Home()
      let alice = try await TestAccount("alice", on: server)
      let bob = try await TestAccount("bob", on: server)
      let natter = try alice.natter(home: home)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let typed = ["the first one", "the second one", "the third one"]
      for text in typed { try await natter.say(text) }
      let run = try await send([bob.jid, "beside the screen"], home: home, alice)
      #expect(run.status == .exited(0), "\(run.errorText)")

      let other = try bob.natter()
      try await other.waitsOnline()
      try await other.open(chat: alice.jid)
      for text in typed + ["beside the screen"] {
        try await other.shows(text)
        #expect(other.count(of: text) == 1)
      }
      try await other.say("all of it")
      // By now every refusal has come.
      try await natter.shows("all of it", "beside the screen")
      #expect(!natter.screen.contains("Not sent:"))
      #expect(await other.quit() == .exited(0))
      #expect(await natter.quit() == .exited(0))
      await server.stop()
    }

    // The built-in server takes up to 1 MiB.
    @Test(
      arguments: ServerKind.allCases.flatMap { kind in
        [400_000, 3_000_000].filter { kind != .builtIn || $0 > 1 << 20 }.map { (kind, $0) }
      })
    func `a message that is too long for the server is refused at once, and the next one arrives`(
      kind: ServerKind, size: Int
    ) async throws {
      let home = try Home()
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let big = try await send(
        [bob.jid, "-"], input: String(repeating: "lots of it ", count: size / 11), home: home,
        alice)
      #expect(big.status == .exited(65), "\(big.errorText)")
      #expect(big.errorText.contains("natter send --file"), "\(big.errorText)")
      let small = try await send([bob.jid, "after it"], home: home, alice)
      #expect(small.status == .exited(0), "\(small.errorText)")
      try await peer.message { $0.body == "after it" }

      // The screen shows it as failed.
      let screen = try alice.natter(home: home)
      try await screen.waitsOnline()
      try await screen.open(chat: bob.jid)
      try await screen.shows("after it", "Not sent: too long for")
      // Beside the screen it goes another way.
      let direct = try await send(
        [bob.jid, "-"], input: String(repeating: "lots of it ", count: size / 11), home: home,
        alice)
      #expect(direct.status == .exited(65), "\(direct.errorText)")
      #expect(await screen.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `natter send reports an address that no one has, with the full screen open and without`(
      kind: ServerKind
    ) async throws {
      let home = try Home()
      let alice = try await TestAccount("alice", on: kind)
      let nobody = TestAccount(unregistered: "nobody", on: alice.server, password: "x")
      func expectRefusal(of words: String) async throws {
        let run = try await send([nobody.jid, words], home: home, alice)
        #expect(run.status == .exited(1), "\(run.errorText)")
        #expect(run.errorText.contains("the message was refused"), "\(run.errorText)")
      }
      try await expectRefusal(of: "is anybody there")
      let screen = try alice.natter(home: home)
      try await screen.waitsOnline()
      try await expectRefusal(of: "beside the screen")
      // The screen has sent it; its status is reported.
      try await screen.open(chat: nobody.jid)
      func showsBothRefused(_ screen: NatterRun) async throws {
        try await screen.expects("that both were refused") { screen in
          let lines = screen.lines
          return ["is anybody there", "beside the screen"].allSatisfy { words in
            guard let index = lines.firstIndex(where: { $0.contains(words) }) else { return false }
            return !lines[index].hasSuffix("✓")
              && lines[index...].prefix(2).contains { $0.contains("Not sent:") }
          }
        }
      }
      try await showsBothRefused(screen)
      // The screen sends it, over its own connection.
      let own = try await CommandRun(
        Programs.natter,
        [
          "send", "--account", alice.jid, "--server", "127.0.0.1:9", "--tls", "starttls",
          "--password-file", home.folder.path("password"), alice.jid, "x",
        ],
        environment: home.environment(), directory: home.home.path, upTo: .seconds(60))
      #expect(own.status == .exited(0), "\(own.errorText)")
      #expect(await screen.quit() == .exited(0))
      // The archive that the next start reads has it, too, and changes nothing.
      let again = try alice.natter(home: home)
      try await again.waitsOnline()
      try await again.open(chat: nobody.jid)
      try await showsBothRefused(again)
      #expect(again.count(of: "beside the screen") == 1)
      #expect(await again.quit() == .exited(0))
    }
  }
}
