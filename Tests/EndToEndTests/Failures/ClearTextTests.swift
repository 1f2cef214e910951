import Foundation
import TestSupport
import Testing

/// The unencrypted beginning of a connection: a stream header and `<starttls/>`.
@Suite(.limitedConcurrency) struct ClearTextTests {
  let home: Home
  init() throws { home = try Home() }

  /// Signs in at `server`, which fails; returns all that was said to it.
  func signIn(at server: MisbehavingServer, tls: String) async throws -> (CommandRun, [UInt8]) {
    let site = FaultySite(options: ["--server", server.address, "--tls", tls], server: server)
    let run = try await site.command(["login", FaultySite.account], home: home)
    return (run, server.received)
  }

  func expectNothingPersonal(_ said: [UInt8]) {
    let text = String(decoding: said, as: UTF8.self)
    let secret = Data("\0alice\0\(FaultySite.password)".utf8).base64EncodedString()
    for word in ["alice", FaultySite.password, secret, "<auth", "<iq", "<message", "<presence"] {
      #expect(!text.contains(word), "\(word) in \(text)")
    }
  }

  @Test(arguments: ["auto", "starttls"])
  func `a server without TLS gets a stream header and nothing else`(tls: String) async throws {
    let server = try MisbehavingServer(
      .opensStreamAndSays(Wire.features(Wire.mechanisms)))
    let (run, said) = try await signIn(at: server, tls: tls)
    #expect(run.status == .exited(69))
    let text = String(decoding: said, as: UTF8.self)
    if tls == "starttls" {
      #expect(text.contains("<stream:stream"))
      #expect(!text.contains("<starttls"))
      #expect(run.errorText.contains("Natter sent nothing"))
    }
    expectNothingPersonal(said)
  }

  @Test func `nothing but the request for TLS is sent before TLS begins`() async throws {
    let server = try MisbehavingServer(
      .follows([
        ("<stream:stream", Wire.header + Wire.features(Wire.startTLS + Wire.mechanisms)),
        ("<starttls", Wire.proceed), ("\u{16}", "no TLS at all"),
      ]))
    let (run, said) = try await signIn(at: server, tls: "starttls")
    #expect(run.status == .exited(69))
    #expect(run.errorText.contains("Encryption could not be set up"), "\(run.errorText)")
    expectNothingPersonal(said)
    // The request, then a TLS record (RFC 8446 §5.1: handshake, 3.x).
    let hello = try #require(said.firstIndex(of: 0x16))
    #expect(said[hello...].starts(with: [0x16, 0x03]))
    let clear = String(decoding: said[..<hello], as: UTF8.self)
    #expect(clear.contains("<starttls"))
    #expect(clear.components(separatedBy: "<").count <= 6, "\(clear)")
  }

  @Test func `what was slipped in behind the go-ahead is no part of the stream`() async throws {
    let injected = Wire.header + Wire.features(Wire.mechanisms)
    let server = try MisbehavingServer(
      .follows([
        ("<stream:stream", Wire.header + Wire.features(Wire.startTLS)),
        ("<starttls", Wire.proceed + injected),
      ]))
    let (run, said) = try await signIn(at: server, tls: "starttls")
    #expect(run.status == .exited(69))
    expectNothingPersonal(said)
  }

  @Test func `a refusal of TLS ends it`() async throws {
    let server = try MisbehavingServer(
      .follows([
        ("<stream:stream", Wire.header + Wire.features(Wire.startTLS + Wire.mechanisms)),
        (
          "<starttls",
          "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>"
        ),
      ]))
    let (run, said) = try await signIn(at: server, tls: "starttls")
    #expect(run.status == .exited(69))
    expectNothingPersonal(said)
  }

  @Test(arguments: ["192.0.2.1:5222", "chat.natter.test", "[2001:db8::1]:5222", nil])
  func `without TLS no other computer is talked to: that is wrong usage`(server: String?)
    async throws
  {
    let site = FaultySite(options: (server.map { ["--server", $0] } ?? []) + ["--tls", "off"])
    let run = try await site.command(["login", FaultySite.account], home: home)
    #expect(run.status == .exited(2))
    #expect(run.text == "")
    #expect(run.errorText.contains("anyone on the network could read"), "\(run.errorText)")
    #expect(run.errorText.contains("--server localhost"), "\(run.errorText)")
    #expect(!run.errorText.contains(FaultySite.password))
  }

  @Test(
    .requires(.prosody, .openssl),
    arguments: [
      ("en", "The server requires encryption.", "requires TLS"),
      ("fr", "Le serveur exige le chiffrement.", "exige TLS"),
      ("zh-Hans", "服务器要求加密", "要求 TLS"),
    ])
  func `with TLS disabled, a server that insists on it is reported, and how to enable it again`(
    language: String, headline: String, why: String
  ) async throws {
    let server = try await ProsodyServer(users: ["alice": FaultySite.password])
    func site(_ tls: String, _ more: String...) -> FaultySite {
      FaultySite(
        options: ["--server", server.address, "--lang", language, "--tls", tls] + more,
        server: server)
    }
    let off = site("off")
    let login = try await off.command(["login", FaultySite.account], home: home)
    #expect(login.status == .exited(69))
    for words in [headline, why, "127.0.0.1", String(server.port), "--tls auto"] {
      #expect(login.errorText.contains(words), "\(words) in \(login.errorText)")
    }
    #expect(!login.errorText.contains(FaultySite.password))
    let screen = try off.screen(home: home)
    // What is at the end of a row may be parted from what follows.
    try await screen.shows(String(headline.dropFirst().dropLast()), "--tls")
    screen.terminal.press(.escape)
    try await screen.hides("--tls")
    #expect(await screen.quit() == .exited(0))
    // What it says helps.
    let on = try await site("auto", "--ca-file", server.authority.certificate)
      .command(["login", FaultySite.account], home: home)
    #expect(on.status == .exited(0), "\(on.errorText)")
    await server.stop()
  }

  @Test(.requires(.prosody, .openssl))
  func `with TLS disabled, one that does without is talked to`() async throws {
    var options = XMPPServerOptions()
    options.requiresEncryption = false
    let server = try await ProsodyServer(options, users: ["alice": FaultySite.password])
    let site = FaultySite(options: ["--server", server.address, "--tls", "off"], server: server)
    let run = try await site.command(["login", FaultySite.account], home: home)
    #expect(run.status == .exited(0), "\(run.errorText)")
    await server.stop()
  }

  @Test func `TLS that the configuration disables for another computer is reported as such`()
    async throws
  {
    try home.folder.write(
      """
      [account]
      address = "alice@natter.test"
      server = "192.0.2.1"
      tls = "off"
      """, to: "config/natter/config.toml")
    let site = FaultySite(options: [])
    let run = try await site.command(["send", "bob@natter.test", "x"], home: home)
    #expect(run.status == .exited(69))
    for words in ["No connection without encryption.", "192.0.2.1", "tls = \"auto\""] {
      #expect(run.errorText.contains(words), "\(words) in \(run.errorText)")
    }
  }
}
