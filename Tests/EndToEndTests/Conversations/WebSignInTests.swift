import Foundation
import TestSupport
import Testing

/// Signing in over HTTP and its consequences: the report where it does not work, the log, and files
/// in transfer when it ends.
@Suite(.requires(.prosody, .ejabberd), .timeLimit(.minutes(6))) struct WebSignInTests {
  /// All that a run of Natter has written but for the files that are made for secrets.
  private static func log(of home: Home) throws -> String {
    let names = try FileManager.default.subpathsOfDirectory(atPath: home.folder.path("state"))
    let texts = names.compactMap {
      FileManager.default.contents(atPath: home.folder.path("state/\($0)"))
    }
    return texts.map { String(decoding: $0, as: UTF8.self) }.joined()
  }

  @Test func `neither a token nor what renews it is ever in the log`() async throws {
    let stage = try await LocalTokenTests.Stage()
    let login = try await stage.login([
      "--http-url", stage.web.address, "--log-level", "debug",
    ])
    #expect(login.status == .exited(0), "\(login.errorText)")
    let first = try LocalWeb.token(keptIn: stage.own)
    // Refused, and renewed.
    try await stage.web.revoke(first.access)
    let send = try await stage.natter([
      "send", "keeper@localhost", "hello", "--account", "erin@localhost", "--log-level", "debug",
    ])
    #expect(send.status == .exited(0), "\(send.errorText)")
    let second = try LocalWeb.token(keptIn: stage.own)
    let logout = try await stage.natter(["logout", "erin@localhost", "--log-level", "debug"])
    #expect(logout.status == .exited(0), "\(logout.errorText)")
    let log = try Self.log(of: stage.own)
    #expect(log.contains("online as erin@localhost"))
    #expect(logout.errorText == "")
    for secret in [first.access, first.refresh, second.access, second.refresh, "geheim"] {
      let secret = try #require(secret)
      #expect(!log.contains(secret))
      #expect(!log.contains(Data(secret.utf8).base64EncodedString()))
    }
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `a sign-in over HTTP that does not work is reported, and the password works`()
    async throws
  {
    let server = try await ProsodyServer(users: ["alice": "geheim"])
    let web = try HTTPPeer { request in
      let base = "http://\(request.headers["host"] ?? "")"
      guard request.target == "/.well-known/oauth-authorization-server" else {
        return .answer(503, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
      }
      return .json(
        """
        {"issuer":"\(base)","token_endpoint":"\(base)/t","grant_types_supported":["password"],\
        "scopes_supported":["xmpp"]}
        """)
    }
    let home = try Home()
    let login = try await home.logsIn(server.jid("alice"), on: server, over: web.address)
    #expect(login.status == .exited(0), "\(login.errorText)")
    #expect(
      login.errorText.contains("HTTP sign-in at 127.0.0.1 did not work"), "\(login.errorText)")
    #expect(login.errorText.contains("HTTP 503"), "\(login.errorText)")
    await server.stop()
  }

  @Test func `why the address for signing in could not be asked is shown`() async throws {
    let server = try await ProsodyServer(users: ["alice": "geheim"])
    let home = try Home()
    let closed = try LoopbackPort.free()
    // Somebody is there, and closes without a word, or speaks of other things.
    let silent = try HTTPPeer { _ in .reset() }
    let other = try HTTPPeer { _ in .raw(Array("SSH-2.0-OpenSSH_9.9\r\n".utf8)) }
    for (address, words) in [
      (silent.address, "Connection lost"), (other.address, "127.0.0.1"),
      ("http://127.0.0.1:\(closed)", "Connection refused"),
      ("http://example.org", "offers no encryption"),
      ("https://nowhere.invalid", "nowhere.invalid"),
    ] {
      let login = try await home.logsIn(server.jid("alice"), on: server, over: address)
      #expect(login.status != .exited(0))
      #expect(login.errorText.contains(words), "\(address): \(login.errorText)")
      #expect(!login.errorText.contains("no sign-in over HTTP"), "\(login.errorText)")
    }
    await server.stop()
  }

  @Test func `a token that the server does not withdraw is reported when signing out`() async throws
  {
    let stage = try await LocalTokenTests.Stage()
    try await stage.signIn()
    // The server is gone.
    #expect(await stage.keeper.quit() == .exited(0))
    let secrets = stage.own.data.appending(path: "credentials")
    let kept = try String(contentsOf: secrets, encoding: .utf8)
    let closed = try LoopbackPort.free()
    try kept.replacing(stage.web.address, with: "http://127.0.0.1:\(closed)")
      .replacing(
        stage.web.address.replacing("/", with: "\\/"), with: "http:\\/\\/127.0.0.1:\(closed)"
      )
      .write(to: secrets, atomically: false, encoding: .utf8)
    let logout = try await stage.natter(["logout", "erin@localhost"])
    #expect(logout.status == .exited(0), "\(logout.errorText)")
    #expect(logout.errorText.contains("has not revoked"), "\(logout.errorText)")
  }

  // MARK: - Files on their way

  /// An ejabberd with tokens, and a relay before its upload service.
  private static func relayed(_ fault: Fault) async throws -> (EjabberdServer, FaultRelay, Home) {
    let relay = try FaultRelay(to: 1)
    var options = XMPPServerOptions()
    options.hasTokens = true
    options.uploadLimit = 100 << 20
    options.uploadPort = relay.port
    let server = try await EjabberdServer(options, users: ["alice": "geheim", "bob": "geheim"])
    relay.lead(to: server.webPort)
    relay.greet(with: fault)
    let home = try Home()
    let login = try await home.logsIn(server.jid("alice"), on: server, over: server.webURL)
    try #require(login.status == .exited(0), "\(login.errorText)")
    return (server, relay, home)
  }

  private static func file(_ name: String, byteCount: Int, in folder: TemporaryFolder) throws
    -> String
  {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
    try Data(bytes).write(to: folder.url(name))
    return folder.path(name)
  }

  @Test
  func `a token that ends in the middle of an upload is followed by the form, and the file goes`()
    async throws
  {
    let (server, relay, home) = try await Self.relayed(.cut(.toServer, after: 1_000_000))
    let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
    let natter = try NatterRun([], home: home, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: server.jid("bob"))
    let path = try Self.file("long.bin", byteCount: 3_000_000, in: home.folder)
    try await natter.say("/upload \(path)")
    #expect(await relay.waits(forConnections: 1))
    // Withdrawn while the file is on its way, and the connection is gone.
    let token = try LocalWeb.token(keptIn: home)
    try await server.revoke(token.access)
    await peer.signOut()
    try await server.restart()
    try await natter.shows("The sign-in has expired", "Password")
    natter.terminal.type("geheim")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    relay.greet(with: nil)
    let bob = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
    let message = try await bob.message { $0.body?.hasPrefix("https://") == true }
    let sum = try await CommandRun.check("sha256sum", [path]).text.prefix(64)
    #expect(try await bob.fetch(try #require(message.body)) == String(sum))
    try await natter.shows("long.bin", "3.0 MB")
    #expect(await natter.quit() == .exited(0))
    await bob.signOut()
    await server.stop()
  }

  @Test func `a user who signs out is shown the files that are on their way`() async throws {
    // The transfer does not progress, however long the questions take.
    let (server, relay, home) = try await Self.relayed(.stall(milliseconds: 600_000))
    let natter = try NatterRun([], home: home, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: server.jid("bob"))
    let path = try Self.file("long.bin", byteCount: 3_000_000, in: home.folder)
    try await natter.say("/upload \(path)")
    #expect(await relay.waits(forConnections: 1))
    try await natter.enter("/logout")
    try await natter.shows("Sign out of \(server.jid("alice"))?", "A file is still being sent")
    natter.terminal.press(.escape)
    try await natter.hides("A file is still being sent")
    relay.greet(with: nil)
    relay.inflict(.drop)
    // Once the file is sent, it is not reported any more.
    try await natter.shows("long.bin", tick: "✓")
    try await natter.enter("/logout")
    try await natter.shows("Sign out of \(server.jid("alice"))?")
    #expect(!natter.screen.contains("still being sent"))
    natter.terminal.press(.escape)
    try await natter.hides("Sign out of")
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }
}
