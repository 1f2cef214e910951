import Foundation
import TestSupport
import Testing

/// A session that a server resumes, and in which it hears nothing any more (Prosody 0.12: it reads
/// on in the middle of the stanza in which the connection before broke).
@Suite(.requires(.prosody, .openssl, .slixmpp)) struct DeafSessionTests {
  private let home: Home

  init() throws { home = try Home() }

  @Test func `where a connection breaks inside of a message, it and all that follows arrive, once`()
    async throws
  {
    var options = XMPPServerOptions()
    // Without TLS, so that the server gets the beginning of a stanza and not the rest.
    options.requiresEncryption = false
    let server = try await ProsodyServer(options, users: ["alice": "a", "bob": "b"])
    let relay = try FaultRelay(to: server.port)
    try home.folder.write("a\n", to: "password")
    let alice = try NatterRun(
      [
        "--account", server.jid("alice"), "--server", relay.address, "--tls", "off",
        "--password-file", home.folder.path("password"),
      ], home: home)
    try await alice.waitsOnline()
    let bob = try await SlixmppPeer(server.jid("bob"), password: "b", server: server)
    try await alice.open(chat: server.jid("bob"))
    try await alice.say("before it")
    try await bob.message { $0.body == "before it" }
    relay.inflict(.cut(.toServer, after: 70))
    try await alice.say("cut in two")
    // Two connections that are not answered in, fifteen seconds each, come before.
    try await bob.message(upTo: .seconds(150)) { $0.body == "cut in two" }
    try await alice.say("after it")
    try await bob.message { $0.body == "after it" }
    for text in ["before it", "cut in two", "after it"] {
      try await alice.shows(text, tick: "✓")
      #expect(alice.count(of: text) == 1, "\(text)")
      #expect(bob.events.count { $0.body == text } == 1, "\(text)")
    }
    #expect(await alice.quit() == .exited(0))
    await bob.signOut()
    await server.stop()
  }
}
