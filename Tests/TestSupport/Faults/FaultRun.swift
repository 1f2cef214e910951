import Foundation

/// Who talks with whom in a fault test.
package enum FaultScene: String, CaseIterable, Sendable {
  /// With one other.
  case direct
  /// In a room with two others, who take turns.
  case room
}

/// A conversation between Natter and slixmpp clients while the network and both programs fail, and what is left of it.
///
/// Natter runs as people run it (`--plain`), behind a `FaultRelay`. Everything that goes wrong is in the plan; how the
/// bytes fall is the machine's, so that a plan that failed may have to be replayed a few times.
package final class FaultRun {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let password = "geheim 1"
  private let plan: FaultPlan
  private let kind: FaultServerKind
  private let scene: FaultScene
  private let log: (String) -> Void
  private let began = ContinuousClock.now

  private let server: FaultServer
  private let relay: FaultRelay
  private let home: Home
  private var natter: LineNatter
  /// Those who talk with Natter; each says what the one before did not.
  private var peers: [FaultPeer]
  private var earlierPeers: [FaultPeer] = []
  private var typed: Set<Int> = []
  /// Lines of messages that were given to this run of the program.
  private var given = 0
  private var received: Set<Int> = []
  private var offered: Set<Int> = []
  private var stuck: [String] = []
  private var serverKills = 0
  private var clientKills = 0
  /// Attempts that are still to be refused.
  private var refusals = 0
  private var seenProblems = 0
  /// Messages that were said to see whether any pass.
  private var probes = 0

  private var alice: String { "alice@\(server.domain)" }
  private var bob: String { "bob@\(server.domain)" }
  private var room: String { "den@rooms.\(server.domain)" }
  /// The conversation as Natter has it.
  private var conversation: String { scene == .room ? room : bob }
  /// How the others reach Natter.
  private var everybody: String { scene == .room ? room : alice }
  /// What Natter types to come to the conversation.
  private var opening: String { scene == .room ? "/join \(room)" : "/chat \(bob)" }

  /// Starts the server and the clients.
  package init(
    _ plan: FaultPlan, _ scene: FaultScene = .direct, on kind: FaultServerKind,
    log: @escaping (String) -> Void = { _ in }
  ) async throws {
    self.plan = plan
    self.kind = kind
    self.scene = scene
    self.log = log
    server = try await FaultServer.start(
      kind, users: ["alice": Self.password, "bob": Self.password, "carol": Self.password])
    relay = try FaultRelay(to: server.port)
    home = try Home()
    try home.folder.write(Self.password + "\n", to: "password")
    if server.registers {
      let place = FaultPeer.Place(port: server.port, authority: server.authority)
      let newcomer = try await FaultPeer(
        "alice@\(server.domain)", password: Self.password, at: place, talks: false, registers: true)
      await newcomer.stop()
    }
    peers = []
    for name in Self.names(scene) {
      peers.append(try await Self.peer(name, of: server, registers: server.registers))
    }
    natter = try Self.natter(server, relay, home)
  }

  private static func names(_ scene: FaultScene) -> [String] {
    scene == .room ? ["bob", "carol"] : ["bob"]
  }

  /// Has the others go into the room.
  private func gather() async throws {
    guard scene == .room else { return }
    for (name, peer) in zip(Self.names(scene), peers) { try await peer.join(room, as: name) }
  }

  private func speaker(of number: Int) -> FaultPeer { peers[number % peers.count] }

  private static func peer(
    _ name: String, of server: FaultServer, talks: Bool = true, registers: Bool = false
  ) async throws -> FaultPeer {
    try await FaultPeer(
      "\(name)@\(server.domain)", password: password,
      at: FaultPeer.Place(port: server.port, authority: server.authority), talks: talks,
      registers: registers)
  }

  private static func natter(_ server: FaultServer, _ relay: FaultRelay, _ home: Home) throws
    -> LineNatter
  {
    var options = [
      "--account", "alice@\(server.domain)", "--server", relay.address, "--password-file",
      home.folder.path("password"), "--log-level", "debug",
    ]
    if let authority = server.authority {
      options += ["--tls", "starttls", "--ca-file", authority]
    } else {
      options += ["--tls", "off"]
    }
    return try LineNatter(options, home: home)
  }

  // MARK: - The conversation

  /// Runs the plan to its end.
  /// - Returns: what is left.
  /// - Throws: `Failure` when the programs could not be kept going.
  package func run() async throws -> FaultReport {
    do {
      let report = try await talk()
      await server.stop()
      return report
    } catch {
      await server.stop()
      throw error
    }
  }

  private func talk() async throws -> FaultReport {
    try await begin()
    var steps = plan.steps[...]
    for number in 0..<plan.messages {
      while let step = steps.first, step.message <= number {
        steps.removeFirst()
        if step.waits { await passes(after: number) }
        log("\(elapsed) before \(number): \(step.fault)")
        try await inflict(step.fault)
      }
      try await say(number)
    }
    try await keepGoing()
    try await settle()
    try await signInOnceMore()
    return try await examine()
  }

  /// Waits until Natter has seen the archive once: what was said before that is history, which is fetched when somebody
  /// scrolls to it.
  private func begin() async throws {
    try await gather()
    natter.type(opening)
    let reader = try await Self.peer("alice", of: server, talks: false)
    if (try? await archive(reader)) != nil {
      let (database, owner) = (databasePath, scene == .room ? room : alice)
      try await helping { _ in ((try? await reader.ranges(in: database, of: owner)) ?? 0) > 0 }
    }
    await reader.stop()
    if scene == .room, kind == .ejabberd {
      // It writes a new room to its disk some two seconds late (FACTS.md 12): killed before that, it takes the archive out
      // of everybody's reach.
      try await Task.sleep(for: .seconds(4))
    }
  }

  /// What the server has of the conversation, read by Natter's account.
  private func archive(_ reader: FaultPeer) async throws -> [FaultPeer.Row] {
    scene == .room
      ? try await reader.archive(ofRoom: room) : try await reader.archive(with: bob)
  }

  private var elapsed: String {
    let time = (ContinuousClock.now - began).seconds
    return String(format: "%7.2f s", time)
  }

  private func say(_ number: Int) async throws {
    natter.type("a-\(number). \(Self.words(number))")
    given += 1
    speaker(of: number).send("b-\(number). \(Self.words(number))", to: everybody)
    offered.insert(number)
    // So many lines may wait in the pipe, as with somebody who pastes.
    let natter = natter
    let enough = given - 20
    if enough > 0, number % 10 == 0 {
      try await helping { await natter.waits(upTo: $0) { $0.typed.count >= enough } }
    }
    try await keepGoing()
  }

  /// Texts of many lengths, so that cuts fall everywhere.
  private static func words(_ number: Int) -> String {
    String(repeating: "<wörd> & \"日本\" ", count: number % 17 == 0 ? 120 : number % 5)
  }

  /// Does what a person at the keyboard does: lets it connect again at once.
  private func keepGoing() async throws {
    let problems = natter.state.problems
    guard problems > seenProblems else { return }
    refusals -= problems - seenProblems
    seenProblems = problems
    if relay.isRefusing, refusals <= 0 { try relay.open() }
    natter.type("/connect")
  }

  /// Waits for something while it sees to it that Natter connects again.
  /// - Parameter limit: a session in which the server does not hear is given up only when two connections were not answered in.
  private func helping(
    upTo limit: Duration = .seconds(150), _ wait: (Duration) async -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit.withPatience
    while ContinuousClock.now < deadline {
      if await wait(.milliseconds(200)) { return }
      try await keepGoing()
    }
    let lines = natter.state.tail.suffix(12).map { "    " + $0 }.joined(separator: "\n")
    let count = "of \(offered.count) offered Natter has shown \(shown)"
    stuck.append("\(elapsed): no progress; \(count); line mode says\n\(lines)")
    keepFiles()
    guard stuck.count < 3 else { throw Failure(description: failureText) }
  }

  private var shown: Int { received.union(natter.state.received).count }

  /// Waits until something that was said after now got through, both ways.
  private func passes(after number: Int) async {
    probes += 1
    let probe = 1_000_000 + probes
    let (natter, peer) = (natter, speaker(of: number))
    natter.type("a-\(probe). probe")
    given += 1
    peer.send("b-\(probe). probe", to: everybody)
    offered.insert(probe)
    // What is in the way is told by `stuck`.
    try? await helping {
      let deadline = ContinuousClock.now + $0
      if await !natter.waits(upTo: $0, until: { $0.received.contains(probe) }) {
        // Much that was missed is read from both sides, and line mode shows what is news only.
        guard await isStored("b-\(probe). probe") else { return false }
      }
      return await peer.waits(upTo: deadline - .now + .milliseconds(1)) {
        $0.received["a-\(probe). probe"] != nil
      }
    }
  }

  private func isStored(_ body: String) async -> Bool {
    guard let reader = try? await FaultPeer(alice, password: "", at: nil, talks: false) else {
      return false
    }
    let rows = try? await reader.database(databasePath, with: conversation).rows
    await reader.stop()
    return rows?.contains { $0.body == body } ?? false
  }

  // MARK: - What goes wrong

  private func inflict(_ fault: Fault) async throws {
    switch fault {
    case .refuse(let times):
      refusals = times
      relay.inflict(fault)
    case .killServer:
      serverKills += 1
      await server.kill()
      for peer in peers { await peer.stop() }
      earlierPeers += peers
      try await server.restart()
      peers = []
      for name in Self.names(scene) { peers.append(try await Self.peer(name, of: server)) }
      try await gather()
      seenProblems = 0
    case .killClient:
      clientKills += 1
      await natter.kill()
      collect(natter)
      natter = try Self.natter(server, relay, home)
      seenProblems = 0
      given = 0
      natter.type(opening)
    default: relay.inflict(fault)
    }
  }

  private func collect(_ natter: LineNatter) {
    typed.formUnion(natter.state.typed)
    received.formUnion(natter.state.received)
  }

  // MARK: - The end

  /// Waits until nothing is under way any more.
  private func settle() async throws {
    if relay.isRefusing {
      refusals = 0
      try relay.open()
      natter.type("/connect")
    }
    let last = plan.messages
    let (natter, peer) = (natter, speaker(of: last))
    natter.type("a-\(last). end")
    peer.send("b-\(last). end", to: everybody)
    offered.insert(last)
    try await helping {
      await peer.waits(upTo: $0) { $0.received["a-\(last). end"] != nil }
    }
    try await helping { await natter.waits(upTo: $0) { $0.received.contains(last) } }
    // The acknowledgement of the last one may still be on its way.
    let reader = try await FaultPeer(alice, password: "", at: nil, talks: false)
    var rows: [FaultPeer.Row] = []
    let (database, conversation) = (databasePath, conversation)
    try await helping { _ in
      rows = (try? await reader.database(database, with: conversation).rows) ?? []
      return !rows.isEmpty && !rows.contains { $0.delivery == "queued" }
    }
    collect(natter)
    guard await natter.quit() == .exited(0) else {
      throw Failure(description: "Natter did not end well\n" + failureText)
    }
  }

  private static let orderLimit = Duration.seconds(20)

  /// A new session, in which Natter fetches what is missing.
  private func signInOnceMore() async throws {
    let reader = try await Self.peer("alice", of: server, talks: false)
    if let archive = try? await archive(reader) {
      natter = try Self.natter(server, relay, home)
      let (natter, database, conversation) = (natter, databasePath, conversation)
      let count = Set(archive.map(\.body)).count
      // Holes are filled a page at a time: as long as there is more each minute, it goes on.
      var (stored, before) = (0, -1)
      while stored < count, stored > before {
        before = stored
        try await helping {
          guard await natter.waits(upTo: $0, until: { $0.isOnline }) else { return false }
          stored = (try? await reader.database(database, with: conversation).rows.count) ?? stored
          return stored > before
        }
      }
      // What was delivered in another order is put right when the archive's pages have been read; what is not by then is told.
      let bodies = archive.map(\.body)
      let deadline = ContinuousClock.now + Self.orderLimit.withPatience
      while ContinuousClock.now < deadline,
        let rows = try? await reader.database(database, with: conversation).rows,
        !FaultReport.areOrdered(rows, as: bodies)
      {
        try await Task.sleep(for: .milliseconds(100))
      }
      guard await natter.quit() == .exited(0) else {
        throw Failure(description: "Natter did not end well\n" + failureText)
      }
    }
    await reader.stop()
  }

  private var databasePath: String {
    home.data.appending(path: "accounts/\(alice).db").path
  }

  private func examine() async throws -> FaultReport {
    let reader = try await Self.peer("alice", of: server, talks: false)
    let other = try await Self.peer("bob", of: server, talks: false)
    let (rows, faults) = try await reader.database(databasePath, with: conversation)
    var report = FaultReport(plan: plan, scene: scene, server: kind)
    report.serverKills = serverKills
    report.clientKills = clientKills
    report.databaseFaults = faults
    report.stuck = stuck
    report.seconds = (ContinuousClock.now - began).seconds
    var arrived: Set<String> = []
    for peer in earlierPeers + peers { arrived.formUnion(peer.state.received.keys) }
    report.examine(
      rows: rows, typed: typed, arrived: arrived, own: try await archive(reader),
      // That of a room is everybody's.
      other: scene == .room ? nil : try await other.archive(with: alice),
      author: scene == .room ? "\(room)/alice" : alice)
    if !report.isClean {
      report.details = failureText
      keepFiles()
    }
    await reader.stop()
    await other.stop()
    return report
  }

  /// For whoever wants to look at what is there: where something is stuck, and at the end.
  private func keepFiles() {
    guard let folder = ProcessInfo.processInfo.environment["NATTER_FAULTS_KEEP"] else { return }
    try? FileManager.default.copyItem(
      atPath: home.folder.path(""), toPath: "\(folder)-\(getpid())-\(stuck.count)")
  }

  /// What helps to see why.
  private var failureText: String {
    let log = home.state.appending(path: "natter.log").path
    return """
      \(plan)
      \(stuck.joined(separator: "\n"))
      line mode:
      \(natter.state.tail.joined(separator: "\n"))
      natter.log:
      \(tail(log, lines: 40))
      server:
      \(server.logTail())
      """
  }
}
