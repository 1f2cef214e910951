import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The user's actions on a message that another client has sent.
  @Suite struct MessageActionTests {
    @Test(arguments: ServerKind.allCases)
    func `a link of slixmpp's is opened by key and by a click, and its message is copied`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let folder = try TemporaryFolder("opener")
      let opened = folder.path("opened")
      try folder.write(
        "#!/bin/sh\necho \"$1\" >> \(opened)\n", to: "browser", mode: 0o755)
      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server,
        environment: ["BROWSER": folder.path("browser")])
      try await natter.waitsOnline()
      let peer = try await bob.slixmpp()
      try await natter.open(chat: bob.jid)
      try await peer.send("Read https://example.org/page?x=1, please", to: alice.jid)
      try await natter.shows("https://example.org/page?x=1")
      natter.terminal.press(.backTab)
      natter.terminal.type("o")
      try await natter.shows("is opened with browser")
      natter.terminal.type("y")
      let copy = Data("Read https://example.org/page?x=1, please".utf8).base64EncodedString()
      try await natter.terminal.prints("\u{1B}]52;c;\(copy)\u{7}", upTo: .seconds(60))
      let row = try #require(
        (0..<natter.screen.rows).first { natter.screen.text(row: $0).contains("please") })
      let text = natter.screen.text(row: row)
      let at = try #require(text.range(of: "example.org"))
      let column = text.distance(from: text.startIndex, to: at.lowerBound)
      natter.terminal.click(row: row, column: column)
      try await folder.holds("opened") { $0.split(separator: "\n").count == 2 }
      let lines = try String(contentsOfFile: opened, encoding: .utf8).split(separator: "\n")
      #expect(Set(lines) == ["https://example.org/page?x=1"])
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
