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

  @Test(.requires(.prosody, .ejabberd, .openssl), arguments: ServerKind.allCases)
  func
    `killed, the server has forgotten what it had: Natter is in its room again, with what was said`(
      kind: ServerKind
    ) async throws
  {
    let users = ["alice": "a", "bob": "b"]
    let server = try await kind.start(users: users)
    let alice = try NatterRun.account(server.jid("alice"), "a", on: server, home: home, rows: 40)
    try await alice.waitsOnline()
    try await alice.open(chat: server.jid("bob"))
    try await alice.say("to bob, before the end")
    try await alice.shows("to bob, before the end", tick: "✓")
    try await alice.say("/join den@rooms.\(server.domain) ali")
    try await alice.shows("1 person")
    try await alice.say("in the den, before the end")
    try await alice.shows("in the den, before the end", tick: "✓")
    // At once: what it writes late is not written (FACTS.md 12).
    await server.kill()
    try await alice.waitsOffline()
    try await server.restart()
    try await alice.say("/connect")
    try await alice.waitsOnline()
    try await alice.shows("1 person")
    try await alice.say("in the den, after it")
    try await alice.shows("in the den, after it", tick: "✓")
    #expect(alice.count(of: "in the den, before the end") == 1)
    try await alice.open(chat: server.jid("bob"))
    try await alice.shows("to bob, before the end", tick: "✓")
    try await alice.say("to bob, after it")
    try await alice.shows("to bob, after it", tick: "✓")
    #expect(await alice.quit() == .exited(0))
    await server.stop()
  }
}
