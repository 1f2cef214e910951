import Foundation
import TestSupport
import Testing

/// Up to two thousand messages by default, 20,000 among the long tests (`.ci/run long`).
extension Conversations.ArchiveTests {
  /// Puts the messages of these numbers into the account's archive, behind the server's back, a
  /// second apart.
  private func fill(_ numbers: ClosedRange<Int>, of alice: TestAccount, from bob: TestAccount)
    async throws
  {
    let script = """
      import sqlite3, sys, time
      path, kind, domain, me, peer, first, last = sys.argv[1:]
      base = int(time.time()) - 30000
      def rows():
          for n in range(int(first), int(last) + 1):
              words = "<message xmlns='jabber:client' from='%s/x' id='n%d' type='chat' to='%s'><body>note %d.</body></message>" % (
                  peer, n, me, n)
              if kind == "prosody":
                  yield domain, me.split("@")[0], "archive", "00000000-0000-4000-8000-%012x" % n, base + n, peer, "xml", words
              else:
                  yield me.split("@")[0], domain, (base + n) * 1000000, peer + "/x", peer, words, "note %d." % n, "chat", ""
      db = sqlite3.connect(path, timeout=120)
      db.executemany(
          'insert into prosodyarchive (host,"user",store,"key","when","with",type,value) values (?,?,?,?,?,?,?,?)'
          if kind == "prosody" else
          "insert into archive (username,server_host,timestamp,peer,bare_peer,xml,txt,kind,nick) values (?,?,?,?,?,?,?,?,?)",
          rows())
      db.commit()
      """
    let (kind, folder): (ServerKind, TemporaryFolder)
    switch alice.server {
    case let server as ProsodyServer: (kind, folder) = (.prosody, server.folder)
    case let server as EjabberdServer: (kind, folder) = (.ejabberd, server.folder)
    default: return
    }
    try await CommandRun.check(
      "/usr/bin/python3",
      [
        "-c", script, folder.path("data/archive.sqlite"), kind.rawValue, alice.server.domain,
        alice.jid, bob.jid, "\(numbers.lowerBound)", "\(numbers.upperBound)",
      ])
  }

  /// The numbers of the messages that a profile has, in the order in which they are shown.
  private func stored(of alice: TestAccount, in home: Home) async throws -> [Int] {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True, timeout=60)
      for body, in db.execute("select body from message where body like 'note %' order by position, id"):
          print(body[5:-1])
      """
    let run = try await CommandRun.check(
      "/usr/bin/python3",
      ["-c", script, home.data.appending(path: "accounts/\(alice.jid).db").path])
    return run.text.split(separator: "\n").compactMap { Int($0) }
  }

  /// Two people on a server of their own, whose archives can be filled behind its back.
  private func people(on kind: ServerKind) async throws -> (
    server: any XMPPServer, alice: TestAccount, bob: TestAccount
  ) {
    var options = XMPPServerOptions()
    options.keepsArchivesInSQLite = true
    let server = try await kind.start(options, users: [:])
    let alice = try await TestAccount("alice", on: server)
    // The first question makes the tables.
    let peer = try await alice.slixmpp()
    _ = try await peer.ask(
      "set",
      "<query xmlns='urn:xmpp:mam:2'><set xmlns='http://jabber.org/protocol/rsm'><max>1</max></set></query>"
    )
    await peer.signOut()
    return (server, alice, try await TestAccount("bob", on: server))
  }

  @Test(arguments: LongTests.areOn ? [ServerKind.prosody, .ejabberd] : [ServerKind.ejabberd])
  func
    `a fresh profile, killed while it fetches for the first time, knows what it lacks, and gets it`(
      kind: ServerKind
    ) async throws
  {
    let (server, alice, bob) = try await people(on: kind)
    var newest = LongTests.size(700, long: 20_000)
    try await fill(1...newest, of: alice, from: bob)
    let relay = try FaultRelay(to: server.port)
    let home = try Home()
    try home.folder.write(alice.password + "\n", to: "password")
    let arguments =
      NatterRun.options(alice.jid, on: server).map { $0 == server.address ? relay.address : $0 }
      + ["--password-file", home.folder.path("password")]
    /// Killed when so many bytes have come, or when the newest is there.
    func runs(for bytes: Int) async throws -> [Int] {
      relay.greet(with: .cut(.toClient, after: bytes))
      let natter = try NatterRun(arguments, home: home, rows: 50)
      // Before it has tried, it is "offline".
      try await natter.expects("the cut, or the newest") { [newest] in
        $0.contains("not connected") || $0.contains("note \(newest).")
      }
      await natter.kill()
      let now = try await stored(of: alice, in: home)
      #expect(now == now.sorted() && Set(now).count == now.count, "\(bytes)")
      return now
    }
    // Again and again, from before the first message until there are some.
    var bytes = 10_000
    var now = try await runs(for: bytes)
    #expect(now.isEmpty)
    while now.isEmpty, bytes < 200_000 {
      bytes += LongTests.size(30_000, long: 10_000)
      now = try await runs(for: bytes)
    }
    let first = try #require(now.first)
    #expect(now == Array(first...newest) && now.count <= 500)
    try await looksBack(alice, in: bob, home: home, pages: 8)
    // More has come than is read at once.
    let further = LongTests.size(1200, long: 3000)
    try await fill(newest + 1...newest + further, of: alice, from: bob)
    newest += further
    while now.last != newest, bytes < 500_000 {
      bytes += 40_000
      now = try await runs(for: bytes)
    }
    #expect(zip(now, now.dropFirst()).count { $1 != $0 + 1 } == 1)
    try await looksBack(alice, in: bob, home: home, pages: 8)
    relay.greet(with: nil)
    let natter = try NatterRun(arguments, home: home, rows: 50)
    try await natter.shows("note \(newest).")
    // Nothing of the past is asked for where nobody looks.
    try await until("the hole is filled") {
      try await stored(of: alice, in: home) == Array(first...newest)
    }
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  @Test(
    arguments: LongTests.areOn
      ? [(5, ServerKind.prosody), (6, .ejabberd)] : [(5, ServerKind.prosody)])
  func
    `many missed messages, left, cut off and killed on the way: all there, each once, in order`(
      seed: Int, kind: ServerKind
    ) async throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    let (server, alice, bob) = try await people(on: kind)
    try await fill(1...20, of: alice, from: bob)
    var natter = try alice.natter(rows: 50)
    try await natter.waitsOnline()
    try await natter.open(chat: bob.jid)
    try await natter.shows("note 20.")
    #expect(await natter.quit() == .exited(0))
    let newest = LongTests.size(1720, long: 20_020)
    try await fill(21...newest, of: alice, from: bob)

    let relay = try FaultRelay(to: server.port)
    let home = natter.home
    let relayed = natter.arguments.map { $0 == server.address ? relay.address : $0 }
    #expect(relayed != natter.arguments)
    var ends = 0
    for end in ["left", "cut off", "killed"].shuffled(using: &generator) {
      let before = try await stored(of: alice, in: home).count
      natter = try NatterRun(relayed, home: home, rows: 50)
      // The newest is there before what lies between.
      try await natter.shows("note \(newest).")
      let more = Int.random(in: LongTests.areOn ? 200...600 : 100...250, using: &generator)
      try await until { try await stored(of: alice, in: home).count >= before + more }
      switch end {
      case "killed": await natter.kill()
      case "cut off":
        relay.refuse()
        relay.inflict(.drop)
        try await natter.waitsOffline()
        #expect(await natter.quit() == .exited(0))
        try relay.open()
      default: #expect(await natter.quit() == .exited(0))
      }
      let now = try await stored(of: alice, in: home)
      #expect(now == now.sorted() && Set(now).count == now.count, "\(end)")
      try await looksBack(alice, in: bob, home: home, pages: 8)
      ends += now.count < newest ? 1 : 0
      // On a busy machine all of it may be there before somebody sees that some of it is.
      if now.count >= newest { break }
    }
    #expect(ends > 0, "all of it was there before the first end")
    natter = try NatterRun(relayed, home: home, rows: 50)
    try await until { try await stored(of: alice, in: home).count >= newest }
    #expect(try await stored(of: alice, in: home) == Array(1...newest))
    #expect(await natter.quit() == .exited(0))

    // Nothing of the past is asked for where nobody looks.
    let fresh = try alice.natter(rows: 50)
    try await fresh.waitsOnline()
    try await fresh.open(chat: bob.jid)
    try await fresh.shows("note \(newest).")
    #expect(try await stored(of: alice, in: fresh.home).count <= 500)
    for _ in 0..<LongTests.size(5, long: 20) {
      let top = Self.notes(on: fresh.screen).first ?? nil
      fresh.terminal.press(.pageUp)
      try await fresh.expects("what comes before note \(top ?? 0), with nothing left out") {
        guard Self.lie(on: $0) == nil, let first = Self.notes(on: $0).first ?? nil else {
          return false
        }
        return first < top ?? 0
      }
    }
    #expect(await fresh.quit() == .exited(0))
    await server.stop()
  }
}
