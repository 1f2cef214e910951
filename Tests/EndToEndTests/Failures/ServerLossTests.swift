import Foundation
import TestSupport
import Testing

/// A server that goes and comes back.
@Suite(.takesTurns) struct ServerLossTests {
  let home: Home
  init() throws { home = try Home() }

  @Test(.requires(.prosody, .slixmpp), arguments: ["shutdown", "killed"])
  func `what is written while the server is away goes out once when it is back`(how: String)
    async throws
  {
    let server = try await ProsodyServer(users: ["alice": "a", "bob": "b"])
    let alice = try NatterRun.account(server.jid("alice"), "a", on: server, home: home)
    try await alice.waitsOnline()
    try await alice.open(chat: server.jid("bob"))
    if how == "shutdown" { await server.stop() } else { await server.kill() }
    try await alice.waitsOffline()
    // No box: it was online before. The status line tells, and typing goes on.
    try await alice.shows("Not connected (")
    #expect(!alice.screen.contains("Try now"))
    try await alice.say("written in between")
    try await alice.shows("written in between", tick: ".")
    alice.terminal.press(.f1)
    try await alice.shows("Help:")
    alice.terminal.press(.escape)
    try await alice.hides("Help:")

    try await server.restart()
    try await alice.say("/connect")
    try await alice.waitsOnline()
    try await alice.shows("written in between", tick: "✓")
    let bob = try await SlixmppPeer(server.jid("bob"), password: "b", server: server)
    try await bob.message { $0.body == "written in between" }
    #expect(bob.events.count { $0.body == "written in between" } == 1)
    #expect(await alice.quit() == .exited(0))
    await server.stop()
  }
}
