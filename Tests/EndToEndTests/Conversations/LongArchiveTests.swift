import Foundation
import TestSupport
import Testing

/// An archive of 20,000 messages on a fresh profile: the newest page first, the rest when it is looked at, and whatever ends the
/// program in between, it knows what it lacks.
@Suite(.requires(.prosody, .slixmpp, .openssl), .takesTurns) struct LongArchiveTests {
  private static let length = 20_000
  private static let password = "geheim ü 1"

  /// How a run ends before it is through.
  private enum End: CaseIterable { case quit, cut, kill }

  /// A server whose archive of alice has that many messages of bob, the last one of now.
  private static func server() async throws -> ProsodyServer {
    var options = XMPPServerOptions()
    options.keepsArchivesInSQLite = true
    let server = try await ProsodyServer(options, users: ["alice": password, "bob": password])
    // It makes its tables with the first message.
    let peer = try await SlixmppPeer(server.jid("bob"), password: password, server: server)
    try await peer.send("to be replaced", to: server.jid("alice"))
    _ = try await peer.roster()
    await peer.signOut()
    await server.stop()
    let script = """
      import sqlite3, sys, time
      path, domain, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
      db = sqlite3.connect(path)
      db.execute("DELETE FROM prosodyarchive")
      now = int(time.time())
      db.executemany(
        'INSERT INTO prosodyarchive (host, "user", store, "key", "when", "with", type, value)'
        " VALUES (?, 'alice', 'archive', ?, ?, ?, 'xml', ?)",
        ((domain, f"key-{n}", now - (count - n) // 3, f"bob@{domain}",
          f"<message type='chat' id='n{n}' from='bob@{domain}/x' to='alice@{domain}'>"
          f"<body>note {n}.</body></message>") for n in range(1, count + 1)))
      db.commit()
      """
    try await CommandRun.check(
      "/usr/bin/python3",
      ["-c", script, server.folder.path("data/archive.sqlite"), server.domain, String(length)])
    try await server.restart()
    return server
  }

  /// The numbers that a database has, in its order; `lies`: those that follow each other in one range of the archive though
  /// something is between.
  private static func stored(_ natter: NatterRun, in server: ProsodyServer) async throws -> (
    numbers: [Int], lies: [String]
  ) {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      rows = [(t, int(b.split()[1][:-1])) for t, b in db.execute(
        "SELECT sent_at, body FROM message WHERE body LIKE 'note %' ORDER BY sent_at, id")]
      ranges = db.execute("SELECT start_at, end_at FROM archive_range").fetchall()
      print(" ".join(str(n) for _, n in rows))
      print(" ".join(f"{m}-{n}" for (s, m), (t, n) in zip(rows, rows[1:])
        if n != m + 1 and any(a <= s and t <= b for a, b in ranges)))
      """
    let name = "\(server.jid("alice")).db"
    var tries = 0
    while true {
      tries += 1
      let copies = try TemporaryFolder("long-archive")
      defer { copies.remove() }
      do {
        for suffix in ["", "-wal"] {
          let path = natter.home.data.appending(path: "accounts/\(name)\(suffix)").path
          guard FileManager.default.fileExists(atPath: path) else { continue }
          try FileManager.default.copyItem(atPath: path, toPath: copies.path(name + suffix))
        }
        let run = try await CommandRun.check("/usr/bin/python3", ["-c", script, copies.path(name)])
        let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
        return (
          lines[0].split(separator: " ").compactMap { Int($0) },
          lines[1].split(separator: " ").map(String.init)
        )
      } catch {
        // A program that runs may write between the two copies.
        if tries == 10 { throw error }
      }
    }
  }

  /// The numbers on the screen from top to bottom.
  private static func notes(on screen: VirtualTerminal) -> [Int] {
    screen.lines.compactMap {
      $0.firstMatch(of: /note ([0-9]+)\./).flatMap { Int($0.output.1) }
    }
  }

  /// Has `peer` write the messages of these numbers, and waits until the server has them.
  private func write(_ numbers: ClosedRange<Int>, to jid: String, by peer: SlixmppPeer) async throws
  {
    try await peer.send(
      xml: numbers.map {
        "<message to='\(jid)' type='chat' id='n\($0)'><body>note \($0).</body></message>"
      }.joined())
    // The answer comes after everything before it was taken.
    _ = try await peer.roster()
  }

  @Test(arguments: [UInt64(1)])
  func
    `20,000 messages: the newest are there at once, PageUp reaches the first, and no end is a loss`(
      seed: UInt64
    ) async throws
  {
    var generator = FaultGenerator(seed: seed)
    let server = try await Self.server()
    let (alice, bob) = (server.jid("alice"), server.jid("bob"))
    let relay = try FaultRelay(to: server.port)
    let home = try Home()
    try home.folder.write(Self.password + "\n", to: "password")
    var arguments =
      NatterRun.options(alice, on: server, security: .starttls)
      + ["--password-file", home.folder.path("password")]
    if let index = arguments.firstIndex(of: "--server") { arguments[index + 1] = relay.address }
    let peer = try await SlixmppPeer(bob, password: Self.password, server: server)

    var newest = Self.length
    for end in End.allCases.shuffled(using: &generator) {
      if relay.isRefusing { try relay.open() }
      let natter = try NatterRun(arguments, home: home, rows: 60)
      try await natter.waitsOnline()
      try await natter.open(chat: bob)
      try await natter.shows("note \(newest).")
      if newest == Self.length {
        // What is older has not been asked for.
        #expect(try await Self.stored(natter, in: server).numbers.count <= 1000)
      }
      // In the middle of going back, while a page is on its way.
      let moment = natter.terminal.outputCount + Int.random(in: 2_000...40_000, using: &generator)
      for _ in 0..<40 where natter.terminal.outputCount < moment {
        let count = natter.terminal.outputCount
        natter.terminal.press(.pageUp)
        _ = await natter.terminal.waits(upTo: .seconds(2)) { _ in
          natter.terminal.outputCount > count
        }
      }
      switch end {
      case .quit: #expect(await natter.quit() == .exited(0))
      case .kill: await natter.kill()
      case .cut:
        relay.refuse()
        relay.inflict(.cut(.toClient, after: Int.random(in: 1...4_000, using: &generator)))
        natter.terminal.press(.pageUp, .pageUp, .pageUp)
        relay.inflict(.drop)
        try await natter.waitsOffline()
        #expect(await natter.quit() == .exited(0))
      }
      let lies = try await Self.stored(natter, in: server).lies
      #expect(lies.isEmpty, "\(end): \(lies)")
      // Much is said before the next start: a hole, which has its own moments to be interrupted in.
      try await write(newest + 1...newest + 300, to: alice, by: peer)
      newest += 300
    }

    if relay.isRefusing { try relay.open() }
    let natter = try NatterRun(arguments, home: home, rows: 240)
    try await natter.waitsOnline()
    try await natter.open(chat: bob)
    try await natter.shows("note \(newest).")
    let limit = ContinuousClock.now + .seconds(300)
    while !natter.screen.contains("This is the beginning."), ContinuousClock.now < limit {
      let top = Self.notes(on: natter.screen).first ?? .max
      natter.terminal.press(.pageUp)
      _ = await natter.terminal.waits(upTo: .seconds(2)) {
        (Self.notes(on: $0).first ?? .max) < top || $0.contains("This is the beginning.")
      }
    }
    try await natter.shows("This is the beginning.", "note 1.")
    // What lies between two of the starts is filled by itself.
    let deadline = ContinuousClock.now + .seconds(60)
    var (numbers, lies) = try await Self.stored(natter, in: server)
    while numbers.count < newest, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(200))
      (numbers, lies) = try await Self.stored(natter, in: server)
    }
    #expect(numbers == Array(1...newest))
    #expect(lies == [])
    #expect(await natter.quit() == .exited(0))
    await peer.signOut()
    await server.stop()
  }
}
