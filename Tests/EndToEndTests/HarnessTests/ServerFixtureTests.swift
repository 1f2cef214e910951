import Foundation
import TestSupport
import Testing

/// The servers and the clients that others wrote, against each other: what fails here is the
/// harness, not Natter.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl)) struct ServerFixtureTests {
  @Test(arguments: ServerKind.with(.encryption), [SlixmppPeer.Security.starttls, .direct])
  func `two slixmpp clients talk over each server`(
    kind: ServerKind, security: SlixmppPeer.Security
  ) async throws {
    let server = try await kind.start(users: ["alice": "geheim ü", "bob": "secret"])
    let alice = try await SlixmppPeer(
      server.jid("alice"), password: "geheim ü", server: server, security: security)
    let bob = try await SlixmppPeer(
      server.jid("bob"), password: "secret", server: server, security: security)
    #expect(alice.events.first { $0.event == "online" }?.tls?.hasPrefix("TLSv1.") == true)

    let id = try await alice.send("hello 日本 <&>", to: server.jid("bob"))
    let received = try await bob.message { $0.body == "hello 日本 <&>" }
    #expect(received.id == id)
    #expect(received.from?.hasPrefix(server.jid("alice") + "/") == true)

    try await bob.addContact(server.jid("alice"), name: "Alice")
    try await bob.subscription("subscribe", to: server.jid("alice"))
    try await alice.event("subscription") { $0.type == "subscribe" }
    try await alice.subscription("subscribed", to: server.jid("bob"))
    try await bob.event("subscription") { $0.type == "subscribed" }
    #expect(try await bob.roster() == [server.jid("alice"): "to"])
    try await alice.presence("away", status: "out")
    try await bob.event("presence") { $0.type == "away" && $0.text == "out" }
    await alice.signOut()
    try await bob.event("presence") { $0.type == "unavailable" }
    await server.stop()
  }

  @Test(arguments: ServerKind.allCases)
  func `a wrong password is refused, and an account can be added later`(kind: ServerKind)
    async throws
  {
    let server = try await kind.start(users: ["alice": "right"])
    await #expect(throws: SlixmppPeer.Failure.self) {
      try await SlixmppPeer(server.jid("alice"), password: "wrong", server: server)
    }
    try await server.addUser("later", password: "x")
    let later = try await SlixmppPeer(server.jid("later"), password: "x", server: server)
    #expect(later.events.contains { $0.event == "online" })
    await server.stop()
  }

  @Test(arguments: ServerKind.allCases)
  func `a killed server comes back on its ports with its accounts`(kind: ServerKind) async throws {
    let server = try await kind.start(users: ["alice": "secret"])
    let alice = try await SlixmppPeer(server.jid("alice"), password: "secret", server: server)
    await server.kill()
    try await alice.event("disconnected")
    try await server.restart()
    let again = try await SlixmppPeer(server.jid("alice"), password: "secret", server: server)
    #expect(again.events.contains { $0.event == "online" })
    await server.stop()
  }

  @Test(arguments: ServerKind.allCases)
  func `newcomers register where they may`(kind: ServerKind) async throws {
    var options = XMPPServerOptions()
    options.allowsRegistration = true
    options.usesSHA256 = true
    let server = try await kind.start(options, users: [:])
    let new = try await SlixmppPeer(
      server.jid("newcomer"), password: "secret", server: server, registers: true,
      key: (server as? BuiltInServer)?.ownerKey)
    #expect(new.events.contains { $0.event == "online" })
    await server.stop()
  }

  @Test(.requires(.profanity), arguments: ServerKind.with(.encryption), [false, true])
  func `profanity and slixmpp talk`(kind: ServerKind, direct: Bool) async throws {
    let server = try await kind.start(users: ["alice": "secret", "bob": "secret"])
    let bob = try await SlixmppPeer(server.jid("bob"), password: "secret", server: server)
    let alice = try await ProfanityClient(
      server.jid("alice"), password: "secret", server: server, direct: direct)
    alice.send("from profanity", to: server.jid("bob"))
    try await bob.message { $0.body == "from profanity" }
    try await bob.send("from slixmpp", to: server.jid("alice"))
    try await alice.shows("from slixmpp")
    await alice.quit()
    await server.stop()
  }

  @Test func `bad certificates are bad each in its own way`() async throws {
    let authority = try await CertificateAuthority()
    let certificates = [
      "certificate has expired": try await authority.expired("natter.test"),
      "certificate is not yet valid": try await authority.notYetValid("natter.test"),
      "hostname mismatch": try await authority.wrongName(),
      "self-signed certificate": try await authority.selfSigned("natter.test"),
      "unable to verify the first certificate": try await authority.untrusted("natter.test"),
      "ok": try await authority.good(["natter.test", "127.0.0.1"]),
    ]
    for (problem, certificate) in certificates {
      let greeter = try await TLSGreeter(certificate)
      let run = try await CommandRun(
        "openssl",
        [
          "s_client", "-connect", greeter.address, "-servername", "natter.test",
          "-verify_hostname", "natter.test", "-CAfile", authority.certificate,
        ], environment: ["PATH": Programs.searchPath])
      #expect(run.text.contains("(\(problem))"), "\(problem): \(run.text.suffix(300))")
      await greeter.stop()
    }
  }

  @Test func `prosody shows its bad certificates over STARTTLS too`() async throws {
    var options = XMPPServerOptions()
    options.hasBadCertificates = true
    let server = try await ProsodyServer(options)
    for (host, problem) in [
      "natter.test": "ok", "expired.test": "certificate has expired",
      "wronghost.test": "hostname mismatch", "selfsigned.test": "self-signed certificate",
    ] {
      let run = try await CommandRun(
        "openssl",
        [
          "s_client", "-connect", server.address, "-starttls", "xmpp", "-xmpphost", host,
          "-servername", host, "-verify_hostname", host, "-CAfile", server.authority.certificate,
        ], environment: ["PATH": Programs.searchPath])
      #expect(run.text.contains("(\(problem))"), "\(host): \(run.text.suffix(300))")
    }
    await server.stop()
  }
}

@Suite struct MisbehavingServerTests {
  @Test(arguments: [
    (MisbehavingServer.Behaviour.closesAtOnce, ""), (.garbage, "\u{81}"), (.http, "HTTP/1.1 400"),
    (.streamError("host-unknown", text: "not here"), "<stream:error><host-unknown xmlns="),
    (.hugeStanza(bytes: 3_000_000), "xxxxx"),
  ])
  func `each greets a client in its own way`(
    behaviour: MisbehavingServer.Behaviour, expected: String
  ) async throws {
    let server = try MisbehavingServer(behaviour)
    let script = """
      exec 3<>/dev/tcp/127.0.0.1/\(server.port); printf '<stream>' >&3; head -c 400 <&3
      """
    let run = try await CommandRun(
      "bash", ["-c", script], environment: ["PATH": Programs.searchPath])
    #expect(await server.meets(1))
    let heard = String(run.output.map { Character(Unicode.Scalar($0)) })
    #expect(expected.isEmpty ? heard.isEmpty : heard.contains(expected))
  }

  @Test func `it hears what is said, and follows a script`() async throws {
    let server = try MisbehavingServer(
      .follows([("GET /one", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes")]))
    let run = try await CommandRun.check(
      "curl", ["-sS", "--noproxy", "*", "-m", "10", "http://\(server.address)/one"])
    #expect(run.text == "yes")
    #expect(await server.hears("Host: 127.0.0.1"))
    #expect(server.connectionCount == 1)
  }
}

@Suite(.requires(.tmux)) struct TmuxSessionTests {
  @Test func `a program in tmux is typed to, resized and seen to end`() async throws {
    let session = try await TmuxSession(
      "sh",
      [
        "-c",
        "trap 'stty size' WINCH; echo \"$ONLY $TERM\"; stty -echo; read x; echo \"<$x>\"; read x; exit 5",
      ],
      environment: ["PATH": Programs.searchPath, "LANG": "C.UTF-8", "ONLY": "this"])
    try await session.shows("this tmux-256color")
    try await session.type("say; 'é' -x")
    try await session.press("Enter")
    try await session.shows("<say; 'é' -x>")
    try await session.resize(rows: 20, columns: 70)
    try await session.press("Enter")
    #expect(try await session.waitsForEnd() == 5)
    await session.stop()
  }
}
