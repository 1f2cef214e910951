import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The files beside the database, which are read to diagnose faults.
  @Suite struct LogSecrecyTests {
    @Test func `at its most talkative the log holds no message text, no draft and no password`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody, password: "open-sesame-1001")
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, more: ["--log-level", "debug"])
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("sesame outward")
      try await peer.message { $0.body == "sesame outward" }
      try await peer.send("sesame inward", to: alice.jid)
      try await natter.shows("sesame inward")
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.say("sesame that waits")
      // It is stored once it is in the conversation; the program is killed below.
      try await natter.shows("sesame that waits")
      try await natter.adds("sesame draft", toHave: "sesame draft")
      // It is written beside everything else.
      let folder = natter.home.folder
      try await folder.holds("state/natter/natter.log") {
        $0.contains("<body>[\("sesame outward".count)]</body>")
      }
      await natter.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await peer.message { $0.body == "sesame that waits" }
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
      let log = try #require(folder.text("state/natter/natter.log"))
      #expect(log.contains(" debug wire: out: "), "\(log)")
      #expect(log.contains("<body>[\("sesame outward".count)]</body>"), "\(log)")
      for name in folder.files where name.hasPrefix("state/") {
        let data = try Data(contentsOf: folder.url(name))
        #expect(!data.contains(sequence: Array("sesame".utf8)), "\(name)")
      }
    }
  }
}
