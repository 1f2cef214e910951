import Foundation
import Synchronization
import TestSupport
import Testing

extension Conversations {
  /// Large archives: the newest page first, the rest when it is looked at, and never a gap that
  /// does not show.
  @Suite struct ArchiveTests {
    /// Has `peer` write the messages of these numbers, and waits until the server has them.
    private func write(_ numbers: ClosedRange<Int>, to jid: String, by peer: SlixmppPeer)
      async throws
    {
      var first = numbers.lowerBound
      while first <= numbers.upperBound {
        let last = min(first + 199, numbers.upperBound)
        let batch = (first...last).map {
          "<message to='\(jid)' type='chat' id='n\($0)'><body>note \($0).</body></message>"
        }
        try await peer.send(xml: batch.joined())
        // The answer comes after everything before it was taken.
        _ = try await peer.roster()
        first = last + 1
      }
    }

    /// A text of the alert only: the status line reports the missing connection as long as it
    /// lasts.
    private static let alert = "What happened"

    /// The numbers on the screen from top to bottom, `nil` where a line says that some are missing.
    static func notes(on screen: VirtualTerminal) -> [Int?] {
      screen.lines.compactMap { line -> Int?? in
        if line.contains("missing") { return .some(nil) }
        guard let match = line.firstMatch(of: /note ([0-9]+)\./) else { return nil }
        return .some(Int(match.output.1))
      }
    }

    /// The first two numbers that follow each other as if nothing were between them, though
    /// something is.
    static func lie(on screen: VirtualTerminal) -> [Int]? {
      let rows = notes(on: screen)
      for (first, second) in zip(rows, rows.dropFirst()) {
        if let first, let second, second != first + 1 { return [first, second] }
      }
      return nil
    }

    /// Goes through what an interrupted run has left, without a server: missing messages are
    /// reported.
    /// - Parameter pages: how far back.
    func looksBack(_ alice: TestAccount, in bob: TestAccount, home: Home, pages: Int = 100)
      async throws
    {
      let server = try MisbehavingServer(.neverAnswers)
      let natter = try NatterRun(
        [
          "--account", alice.jid, "--server", server.address, "--tls", "starttls",
          "--password-file", home.folder.path("password"),
        ], home: home, rows: 50)
      // The only conversation is open.
      try await natter.expects("messages") { !Self.notes(on: $0).isEmpty }
      for _ in 0..<pages {
        if natter.screen.contains(Self.alert) {
          // The text behind the alert cannot be seen.
          natter.terminal.press(.escape)
          try await natter.expects("no alert") { !$0.contains(Self.alert) }
        }
        // A frame that is being drawn may show anything.
        try await natter.expects("no gap that does not show") {
          Self.lie(on: $0) == nil || $0.contains(Self.alert)
        }
        let top = Self.notes(on: natter.screen).first ?? nil
        // Nothing comes before the first.
        if top == 1 { break }
        natter.terminal.press(.pageUp)
        let hasMoved = await natter.terminal.waits(upTo: .seconds(1)) {
          (Self.notes(on: $0).first ?? nil) != top
        }
        if !hasMoved { break }
      }
      #expect(await natter.quit() == .exited(0))
    }

    /// Pages up to the beginning; every message on the way is complete.
    private func pageToBeginning(_ natter: NatterRun, from newest: Int) async throws {
      // Every frame counts: what a page brings may come in two of them.
      let seen = Mutex<Set<Int>>([])
      let look: @Sendable (VirtualTerminal) -> [Int?] = { screen in
        let notes = Self.notes(on: screen)
        seen.withLock { $0.formUnion(notes.compactMap { $0 }) }
        return notes
      }
      for _ in 0..<(newest / 10 + 20) {
        let screen = natter.screen
        let top = look(screen).first ?? nil
        if screen.contains("This is the beginning.") { break }
        natter.terminal.press(.pageUp)
        if top == 1 {
          // The line above the first message may take one more press.
          _ = await natter.terminal.waits(upTo: .seconds(3)) {
            $0.contains("This is the beginning.")
          }
          continue
        }
        try await natter.expects("what comes before note \(top ?? 0), with nothing left out") {
          screen in
          let notes = look(screen)
          // A hole that is looked at is filled.
          guard Self.lie(on: screen) == nil, !notes.contains(nil) else { return false }
          let first = notes.first ?? nil
          return screen.contains("This is the beginning.") || (first ?? .max) < (top ?? .max)
        }
      }
      _ = look(natter.screen)
      #expect(natter.screen.contains("This is the beginning."))
      // A gap that is filled while it is passed may be skipped; on the way down every message is
      // there.
      var (idle, presses) = (0, 0)
      while !natter.screen.contains("note \(newest)."), idle < 30, presses < newest {
        presses += 1
        let bottom = look(natter.screen).last ?? nil
        natter.terminal.press(.pageDown)
        // Keys are taken in their order: when this one shows, the screen is what the first one has
        // made of it.
        try await natter.type("z")
        try await natter.expects("no gap that does not show") { Self.lie(on: $0) == nil }
        let hasMoved = (look(natter.screen).last ?? nil) ?? 0 > bottom ?? 0
        natter.terminal.press(.backspace)
        try await natter.type("")
        if hasMoved {
          idle = 0
          continue
        }
        // At the end of what is in memory a press loads what follows, and the next one goes there.
        idle += 1
        let comes = await natter.terminal.waits(upTo: .seconds(1)) {
          (look($0).last ?? nil) ?? 0 > bottom ?? 0
        }
        if comes { idle = 0 }
      }
      #expect(Set(1...newest).subtracting(seen.withLock { $0 }).sorted() == [])
    }

    @Test(arguments: ServerKind.allCases)
    func `a new profile shows the newest page first, and PageUp loads back to the beginning`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let newest = LongTests.size(400, long: 1200)
      try await write(1...newest, to: alice.jid, by: peer)
      let natter = try alice.natter(rows: 50)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("note \(newest).")
      try await pageToBeginning(natter, from: newest)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    /// Seed and server: the moment of the end is drawn from the seed. Prosody's timestamps are in
    /// seconds, so that hundreds have the same.
    @Test(
      arguments: LongTests.areOn
        ? [(1, ServerKind.prosody), (2, .ejabberd), (3, .prosody), (4, .ejabberd)]
        : [(1, ServerKind.prosody), (2, .ejabberd)])
    func `killed, cut off or left while it catches up, it knows what it lacks, and gets it`(
      seed: Int, kind: ServerKind
    ) async throws {
      var generator = SeededGenerator(seed: UInt64(seed))
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await write(1...20, to: alice.jid, by: peer)
      var natter = try alice.natter(rows: 50)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("note 20.")
      #expect(await natter.quit() == .exited(0))
      var newest = 20
      let relay = try FaultRelay(to: alice.server.port)
      let relayed = natter.arguments.map { $0 == alice.server.address ? relay.address : $0 }
      #expect(relayed != natter.arguments)
      for round in 0..<3 {
        let count = LongTests.size(120, long: 500)
        try await write(newest + 1...newest + count, to: alice.jid, by: peer)
        newest += count
        natter = try NatterRun(relayed, home: natter.home, rows: 50)
        let moment = Int.random(in: 500...LongTests.size(8_000, long: 30_000), using: &generator)
        _ = await natter.terminal.waits(upTo: .seconds(2)) { [natter, newest] screen in
          natter.terminal.outputCount > moment || screen.contains("note \(newest).")
        }
        switch (seed + round) % 3 {
        case 0: await natter.kill()
        case 1:
          relay.refuse()
          relay.inflict(.drop)
          #expect(await natter.quit() == .exited(0))
          try relay.open()
        default: #expect(await natter.quit() == .exited(0))
        }
        try await looksBack(alice, in: bob, home: natter.home)
      }
      natter = try NatterRun(relayed, home: natter.home, rows: 50)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("note \(newest).")
      try await pageToBeginning(natter, from: newest)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
