import Foundation
import TestSupport
import Testing

/// The web through a proxy of the environment, as libcurl finds it: `https_proxy` and `no_proxy`.
@Suite(.requires(.prosody, .slixmpp), .timeLimit(.minutes(6))) struct ProxyTests {
  /// A Prosody with tokens; nobody can reach its web side by the name that it has but through a
  /// proxy.
  private static func server() async throws -> ProsodyServer {
    var options = XMPPServerOptions()
    options.hasTokens = true
    return try await ProsodyServer(options, users: ["alice": "geheim", "bob": "geheim"])
  }

  private static func login(_ server: ProsodyServer, _ environment: [String: String]) async throws
    -> (run: CommandRun, kept: String)
  {
    let home = try Home()
    try home.folder.write("geheim\n", to: "password")
    let run = try await CommandRun(
      Programs.natter,
      ["login", server.jid("alice"), "--http-url", "https://natter.test"]
        + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
        + ["--password-file", home.folder.path("password")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8", environment))
    let file = home.data.appending(path: "credentials").path
    let kept =
      FileManager.default.fileExists(atPath: file)
      ? try String(contentsOfFile: file, encoding: .utf8) : ""
    return (run, kept)
  }

  @Test
  func `a sign-in over HTTP goes through the proxy, unless the host is named as an exception`()
    async throws
  {
    let server = try await Self.server()
    let proxy = try ConnectProxy(to: server.webPort)
    let through = try await Self.login(server, ["https_proxy": proxy.address])
    #expect(through.run.status == .exited(0), "\(through.run.errorText)")
    #expect(through.kept.contains("\"token\"") && !through.kept.contains("geheim"))
    #expect(!proxy.targets.isEmpty && Set(proxy.targets) == ["natter.test:443"])

    let count = proxy.targets.count
    let beside = try await Self.login(
      server, ["https_proxy": proxy.address, "no_proxy": "localhost,natter.test"])
    // The host itself has no such name: that is reported, and no other way of signing in is used
    // than the named one.
    #expect(beside.run.status == .exited(69), "\(beside.run.errorText)")
    #expect(beside.run.errorText.contains("--http-url"), "\(beside.run.errorText)")
    #expect(beside.kept.isEmpty)
    #expect(proxy.targets.count == count)
    await server.stop()
  }

  @Test(arguments: [false, true])
  func `a file is fetched through the proxy, and one that refuses is reported`(refuses: Bool)
    async throws
  {
    let server = try await Self.server()
    let web = try await TLSWebPeer(
      try await server.authority.good(["files.example.org"]), offering: .http1)
    let good = try ConnectProxy(to: web.port)
    let bad = try HTTPPeer { _ in .early(403) }
    let peer = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
    let home = try Home()
    let kept = try home.folder.makeFolder("kept").path
    let natter = try NatterRun.account(
      server.jid("alice"), "geheim", on: server, home: home,
      environment: [
        "https_proxy": refuses ? bad.address : good.address, "http_proxy": "http://127.0.0.1:9",
      ])
    try await natter.waitsOnline()
    try await natter.open(chat: server.jid("bob"))
    let url = "https://files.example.org/rose.txt"
    try await peer.send(
      xml: """
        <message to='\(server.jid("alice"))' type='chat' id='f'><body>\(url)</body>\
        <x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
        """)
    try await natter.shows("rose.txt")
    try await natter.say("/save 1 \(kept)/")
    try await natter.shows(refuses ? "The proxy does not work" : "is saved")
    if refuses {
      #expect(bad.requests.first?.method == "CONNECT")
      // Asked about the file, then for it: a proxy that refuses is not asked again and again.
      #expect(bad.requests.count == 2)
      #expect(!FileManager.default.fileExists(atPath: kept + "/rose.txt"))
    } else {
      let text = try String(contentsOfFile: kept + "/rose.txt", encoding: .utf8)
      #expect(text.hasPrefix("HTTP/1.1 connection"))
      #expect(Set(good.targets) == ["files.example.org:443"])
    }
    #expect(await natter.quit() == .exited(0))
    await peer.signOut()
    await web.stop()
    await server.stop()
  }
}
