import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Everything that a server has of a conversation: fetched with `/history`, and by a script.
  @Suite struct WholeHistoryTests {
    private static let newest = 350

    private func write(to jid: String, by peer: SlixmppPeer) async throws {
      for first in stride(from: 1, through: Self.newest, by: 50) {
        let batch = (first..<first + 50).map {
          "<message to='\(jid)' type='chat' id='n\($0)'><body>note \($0).</body></message>"
        }
        try await peer.send(xml: batch.joined())
        // The answer comes after everything before it was taken.
        _ = try await peer.roster()
      }
    }

    /// The numbers of the messages that are printed.
    private func printed(_ arguments: [String], home: Home) async throws -> [Int] {
      let run = try await CommandRun(
        Programs.natter, ["history", "--limit=0"] + arguments, environment: home.environment(),
        directory: home.home.path, upTo: .seconds(120))
      #expect(run.status == .exited(0), "\(run.errorText)")
      return run.text.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /note ([0-9]+)\./).flatMap { Int($0.output.1) }
      }
    }

    @Test(arguments: ServerKind.allCases)
    func `the whole history is fetched on the screen, and beside it by a script`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      // A client that has them leaves none for Natter to be delivered: they are in the archive
      // only.
      let phone = try await alice.slixmpp()
      try await write(to: alice.jid, by: peer)
      try await phone.message { $0.body == "note \(Self.newest)." }
      await phone.signOut()
      let natter = try alice.natter(rows: 40)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("note \(Self.newest).")
      let account = ["--account", alice.jid, bob.jid]
      #expect(try await printed(account, home: natter.home).count < Self.newest)
      try await natter.enter("/history")
      try await natter.shows("The whole history of", "\(Self.newest) messages.")
      #expect(try await printed(account, home: natter.home) == Array(1...Self.newest))
      // The screen has not moved, and PgUp goes through what came.
      #expect(natter.screen.contains("note \(Self.newest)."))
      #expect(await natter.quit() == .exited(0))

      // A fresh profile, with a connection of its own.
      let home = try Home()
      try await home.login(alice)
      #expect(try await printed(["--fetch", bob.jid], home: home) == Array(1...Self.newest))
      // Stored messages are printed without one.
      #expect(try await printed([bob.jid], home: home) == Array(1...Self.newest))
      await peer.signOut()
    }

    @Test func `what is begun without a connection is fetched with the next one`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      try await write(to: alice.jid, by: peer)
      let relay = try FaultRelay(to: alice.server.port)
      let home = try Home()
      try home.folder.write(alice.password + "\n", to: "password")
      let options = NatterRun.options(alice.jid, on: alice.server)
        .map { $0 == alice.server.address ? relay.address : $0 }
      let natter = try NatterRun(
        options + ["--password-file", home.folder.path("password")], home: home, rows: 40)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("note \(Self.newest).")
      relay.refuse()
      relay.inflict(.drop)
      try await natter.waitsOffline()
      try await natter.enter("/history")
      try relay.open()
      try await natter.shows("The whole history of", "\(Self.newest) messages.")
      #expect(
        try await printed(["--account", alice.jid, bob.jid], home: home)
          == Array(1...Self.newest))
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
