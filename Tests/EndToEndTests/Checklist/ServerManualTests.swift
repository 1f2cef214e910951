import Foundation
import TestSupport
import Testing

/// That the servers that natter-server(7) sets up are what it says: they start, and all that Natter
/// needs is there.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl), .limitedConcurrency)
struct ServerManualTests {
  private static let password = "geheim ü 1"

  /// The files that the manual shows, as they are to be copied.
  private static func blocks() throws -> [String] {
    try text().components(separatedBy: ".Bd -literal\n")
      .dropFirst().compactMap { $0.components(separatedBy: "\n.Ed").first }
      .map { $0.replacing("\\e", with: "\\") + "\n" }
  }

  private static func text() throws -> String {
    let manual = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "man/natter-server.7")
    return try String(contentsOf: manual, encoding: .utf8)
  }

  private static func block(with word: String) throws -> String {
    try #require(try blocks().first { $0.contains(word) })
  }

  /// The file of a machine of a cluster: the one for one machine, with `database` instead of its
  /// lines about SQLite.
  private static func clusterBlock(_ database: String = "") throws -> String {
    try block(with: "\nmodules:\n").split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("sql_") && !$0.hasPrefix("new_sql_schema") }.joined(separator: "\n")
      .replacing("\n\nauth_", with: "\n\(database)\nauth_")
  }

  @Test(arguments: ServerKind.with(.foreignWays))
  func `a server set up as the manual says has all that is needed`(kind: ServerKind) async throws {
    var options = XMPPServerOptions()
    options.manual = try Self.block(with: kind == .prosody ? "VirtualHost" : "\nmodules:\n")
    let users = ["alice": Self.password, "bob": Self.password]
    let server: any XMPPServer =
      kind == .prosody
      ? try await ProsodyServer(options, users: users)
      : try await EjabberdServer(options, users: users)
    do {
      try await tryOut(server)
    } catch {
      Issue.record("\(server.logTail)")
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func tryOut(_ server: any XMPPServer) async throws {
    let (alice, bob) = (server.jid("alice"), server.jid("bob"))
    let peer = try await SlixmppPeer(bob, password: Self.password, server: server)
    for (address, features) in [
      (server.domain, ["urn:xmpp:carbons:2", "urn:xmpp:ping", "urn:xmpp:blocking"]),
      (bob, ["urn:xmpp:mam:2", "http://jabber.org/protocol/pubsub#publish-options"]),
      ("rooms.\(server.domain)", ["http://jabber.org/protocol/muc", "urn:xmpp:mam:2"]),
      ("upload.\(server.domain)", ["urn:xmpp:http:upload:0"]),
    ] {
      let answer = try await peer.ask(
        "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: address)
      for feature in features { #expect(answer.contains(feature), "\(address): \(feature)") }
    }

    // The password can be changed; no stranger makes an account.
    let changed = try await peer.ask(
      "set",
      """
      <query xmlns='jabber:iq:register'><username>bob</username>\
      <password>\(Self.password)</password></query>
      """, of: server.domain)
    #expect(changed.contains("type=\"result\""), "\(changed)")

    let natter = try NatterRun.account(
      alice, Self.password, on: server, rows: 40, more: ["--log-level", "debug"])
    try await natter.waitsOnline()
    let doctor = try await CommandRun(
      Programs.natter, ["doctor"] + natter.arguments,
      environment: natter.home.environment(terminal: "xterm-256color"))
    #expect(doctor.status == .exited(0), "\(doctor.text)")
    #expect(doctor.text.contains("signed in as \(alice)"), "\(doctor.text)")
    try await natter.open(chat: bob)
    try await peer.send("one from bob", to: alice)
    try await natter.shows("one from bob")
    try await natter.say("two from alice")
    try await peer.message { $0.body == "two from alice" }
    // The address is reported once the file is there.
    try natter.home.folder.write("a file from alice\n", to: "notes.txt")
    try await natter.say("/upload \(natter.home.folder.path("notes.txt"))")
    let offer = try await peer.message { $0.body?.hasPrefix("https://") == true }
    let fetched = try await CommandRun(
      "curl",
      ["-sS", "--fail", "--noproxy", "*", "--cacert", try server.certificate, offer.body ?? ""],
      environment: natter.home.environment(terminal: "xterm-256color"))
    #expect(fetched.text == "a file from alice\n", "\(fetched.errorText)")
    try await natter.say("/join den@rooms.\(server.domain) ali")
    try await natter.shows("1 person")
    try await natter.say("three in the den")
    try await natter.shows("three in the den", tick: "✓")
    // The number of messages is reported, so that the number of missing ones is known.
    let page = try await peer.ask(
      "set",
      """
      <query xmlns='urn:xmpp:mam:2'><set xmlns='http://jabber.org/protocol/rsm'><max>1</max></set>\
      </query>
      """)
    #expect(page.contains("<count>"), "\(page)")

    // The session outlives the program (XEP-0198).
    await natter.kill()
    let again = try natter.startsAgain(rows: 40)
    try await again.waitsOnline()
    // The log is written behind the screen's back, when there is time.
    try await natter.home.folder.holds("state/natter/natter.log") { $0.contains("session resumed") }
    // Somebody else's eyes on the same account: archives, a room of the bookmarks, and what was
    // read.
    let fresh = try NatterRun.account(alice, Self.password, on: server, rows: 40)
    try await fresh.waitsOnline()
    try await fresh.shows("den")
    try await fresh.open(chat: "den@rooms.\(server.domain)")
    try await fresh.shows("1 person")
    // Killed in between, the one who was alone in the room had left it for a moment: it was there
    // all the same.
    try await fresh.shows("three in the den")
    try await fresh.open(chat: bob)
    try await fresh.shows("one from bob", "two from alice")
    try await again.open(chat: bob)
    try await fresh.say("four from the second")
    try await again.shows("four from the second")

    // Killed and started again, it has what it had.
    await peer.signOut()
    await server.kill()
    for run in [again, fresh] { try await run.waitsOffline() }
    try await server.restart()
    for run in [again, fresh] {
      try await run.waitsOnline()
      #expect(run.count(of: "four from the second") == 1)
      #expect(await run.quit() == .exited(0))
    }
  }

  /// In Mnesia there is no `db_type` left.
  @Test func `two machines set up as the manual says are one server`() async throws {
    try await tryOutCluster(Self.clusterBlock().replacing(", db_type: sql", with: ""))
  }

  @Test(.requires(.postgresql))
  func `two machines with a database set up as the manual says are one server`() async throws {
    let password = "geheim"
    let server = try await PostgreSQLServer(
      access: try Self.block(with: "hostssl").replacing("192.0.2.0/24", with: "127.0.0.1/32"),
      statements: try Self.block(with: "CREATE DATABASE").replacing("...", with: password))
    do {
      try await CommandRun.check(
        "sh",
        ["-euc", try Self.block(with: "psql").replacing("db.example.org", with: "127.0.0.1")],
        environment: ["PGPORT": String(server.port), "PGPASSWORD": password])
      try await tryOutCluster(
        Self.clusterBlock(
          try Self.block(with: "sql_type: pgsql").replacing("...", with: password)
            .replacing("\"db.example.org\"", with: "\"127.0.0.1\"\nsql_port: \(server.port)")))
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func tryOutCluster(_ manual: String) async throws {
    let cluster = try await EjabberdCluster(users: ["alice": "a", "bob": "b"], manual: manual)
    do {
      let home = try Home()
      try home.folder.write("a\n", to: "password")
      let natter = try LineNatter(
        [
          "--account", "alice@\(cluster.domain)", "--tls", "starttls", "--ca-file",
          cluster.authority, "--password-file", home.folder.path("password"),
        ], home: home, ["NATTER_NAME_SERVER": cluster.nameServer])
      // The one who listens is at the other machine.
      async let listening = FaultPeer(
        "bob@\(cluster.domain)", password: "b",
        at: FaultPeer.Endpoint(port: cluster.second.port, authority: cluster.authority), talks: true
      )
      natter.type("/chat bob@\(cluster.domain)")
      #expect(await natter.waits(upTo: .seconds(60)) { $0.isOnline })
      let peer = try await listening
      // The machines report sessions to each other without waiting for one another. A message from
      // this session shows that the first machine knows of it.
      peer.send("b-1. across", to: "alice@\(cluster.domain)")
      #expect(await natter.waits(upTo: .seconds(60)) { $0.received.contains(1) })
      natter.type("a-1. across")
      #expect(await peer.waits(upTo: .seconds(60)) { $0.received["a-1. across"] != nil })
      await cluster.first.kill()
      #expect(await natter.waits(upTo: .seconds(60)) { $0.problems > 0 })
      #expect(await natter.waits(upTo: .seconds(60)) { $0.isOnline })
      // Its archive is at the other machine, too.
      let archive = try await peer.archive(with: "alice@\(cluster.domain)")
      #expect(archive.map(\.body) == ["b-1. across", "a-1. across"])
      #expect(await natter.quit() == .exited(0))
      await peer.stop()
    } catch {
      await cluster.stop()
      throw error
    }
    await cluster.stop()
  }

  /// The other files that the manual names have the content that a cluster in these tests has.
  @Test func `the manual names the node, its ports and its records`() throws {
    let blocks = try Self.blocks()
    #expect(blocks.contains { $0.contains("ERLANG_NODE=") && $0.contains("FIREWALL_WINDOW=") })
    #expect(blocks.contains { $0.contains("ejabberdctl join_cluster") })
    #expect(blocks.contains { $0.contains("_xmpps-client._tcp.example.org.") })
    #expect(blocks.contains { $0.contains("lite.new.sql") && $0.contains("journal_mode=WAL") })
  }

  /// The manual names the package that a cluster with a database needs besides the configuration
  /// file.
  @Test func `the manual names what a database for a cluster needs, by the names that it has`()
    throws
  {
    #expect(try Self.text().contains(".Li erlang-p1-pgsql\n"))
    let tables = "/usr/share/ejabberd/sql/pg.new.sql"
    #expect(try Self.blocks().contains { $0.contains("psql") && $0.contains(tables) })
    #expect(FileManager.default.isReadableFile(atPath: tables))
  }
}
