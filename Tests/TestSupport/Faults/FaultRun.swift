import Foundation

/// The participants of a fault test's conversation.
package enum FaultScene: String, CaseIterable, Sendable {
  /// With one other.
  case direct
  /// In a room with two others, who write alternately.
  case room
}

/// A conversation between Natter and slixmpp clients while the network and both programs fail, and
/// what is left of it.
///
/// Natter runs as people run it (`--plain`), behind a `FaultRelay`. Everything that goes wrong is
/// in the plan; how the bytes fall is the machine's, so that a plan that failed may have to be
/// replayed a few times.
package final class FaultRun {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let password = "geheim 1"
  /// The numbers of messages that are no part of the plan are larger.
  static let firstProbe = 1_000_000
  let plan: FaultPlan
  let kind: FaultServerKind
  let scene: FaultScene
  private let log: (String) -> Void
  let began = ContinuousClock.now

  let server: FaultServer
  let relay: FaultRelay
  let home: Home
  var natter: LineNatter
  /// Those who talk with Natter; each says what the one before did not.
  var peers: [FaultPeer]
  var earlierPeers: [FaultPeer] = []
  var typed: Set<Int> = []
  /// Lines of messages that were given to this run of the program.
  private var given = 0
  var received: Set<Int> = []
  var offered: Set<Int> = []
  var stuck: [String] = []
  var serverKills = 0
  var clientKills = 0
  /// Attempts that are still to be refused.
  var refusals = 0
  private var seenProblems = 0
  /// Messages that were said to see whether any pass.
  private var probes = 0
  /// The one that looks into Natter's database: starting one takes longer than many looks.
  var databaseReader: FaultPeer?

  var alice: String { "alice@\(server.domain)" }
  private var bob: String { "bob@\(server.domain)" }
  var room: String { "den@rooms.\(server.domain)" }
  /// The conversation as Natter has it.
  var conversation: String { scene == .room ? room : bob }
  /// The address at which the others reach Natter.
  var everybody: String { scene == .room ? room : alice }
  /// The typed command that opens the conversation.
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
    peers = try await Self.peers(scene, of: server)
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

  func speaker(of number: Int) -> FaultPeer { peers[number % peers.count] }

  /// Starts all others at once: each waits for its interpreter and for the server.
  private static func peers(
    _ scene: FaultScene, of server: FaultServer
  ) async throws -> [FaultPeer] {
    try await withThrowingTaskGroup(of: (index: Int, peer: FaultPeer).self) { group in
      for (index, name) in names(scene).enumerated() {
        group.addTask { (index, try await peer(name, of: server)) }
      }
      var started: [(index: Int, peer: FaultPeer)] = []
      for try await each in group { started.append(each) }
      return started.sorted { $0.index < $1.index }.map(\.peer)
    }
  }

  static func peer(
    _ name: String, of server: FaultServer, talks: Bool = true
  ) async throws -> FaultPeer {
    try await FaultPeer(
      "\(name)@\(server.domain)", password: password,
      at: FaultPeer.Endpoint(port: server.port, authority: server.authority), talks: talks)
  }

  static func natter(_ server: FaultServer, _ relay: FaultRelay, _ home: Home) throws
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
      await end()
      return report
    } catch {
      await end()
      throw error
    }
  }

  /// Ends the server at once: its files are not read any more.
  private func end() async {
    await databaseReader?.stop()
    await server.kill()
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
    let reader = try await signInOnceMore()
    return try await examine(reader)
  }

  /// Waits until Natter has read the archive once: earlier messages are history, which is loaded
  /// when the user scrolls to it.
  private func begin() async throws {
    try await gather()
    let gathered = ContinuousClock.now
    natter.type(opening)
    let reader = try await Self.peer("alice", of: server, talks: false)
    if (try? await archive(reader)) != nil {
      let (database, owner) = (databasePath, scene == .room ? room : alice)
      try await polling { ((try? await reader.ranges(in: database, of: owner)) ?? 0) > 0 }
    }
    await reader.stop()
    if scene == .room, [.ejabberd, .mnesia].contains(kind) {
      // It writes a new room to its disk some two seconds late (server-quirks.md, "ejabberd"):
      // killed before that, it takes the archive out of everybody's reach.
      try await Task.sleep(until: gathered + .seconds(4))
    }
  }

  /// Returns the server's copy of the conversation, read by Natter's account.
  func archive(_ reader: FaultPeer) async throws -> [FaultPeer.Row] {
    scene == .room
      ? try await reader.archive(ofRoom: room) : try await reader.archive(with: bob)
  }

  private var elapsed: String {
    let time = (ContinuousClock.now - began).seconds
    return String(format: "%7.2f s", time)
  }

  private func say(_ number: Int) async throws {
    natter.type("a-\(number). \(Self.text(number))")
    given += 1
    speaker(of: number).send("b-\(number). \(Self.text(number))", to: everybody)
    offered.insert(number)
    // So many lines may wait in the pipe, as after a paste.
    let natter = natter
    let enough = given - 20
    if enough > 0, number % 10 == 0 {
      try await helping { await natter.waits(upTo: $0) { $0.typed.count >= enough } }
    }
    try await keepGoing()
  }

  /// Texts of many lengths, so that cuts fall everywhere.
  private static func text(_ number: Int) -> String {
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
  /// - Parameter limit: a session in which the server does not hear is given up only when two
  ///   connections were not answered in.
  func helping(
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

  /// The same for a condition that is only asked for: without a pause, asking would delay the
  /// programs that are waited for.
  func polling(_ condition: () async -> Bool) async throws {
    try await helping { _ in
      if await condition() { return true }
      try? await Task.sleep(for: .milliseconds(50))
      return false
    }
  }

  private var shown: Int { received.union(natter.state.received).count }

  /// Waits until something that was said after now got through, both ways.
  private func passes(after number: Int) async {
    probes += 1
    let probe = Self.firstProbe + probes
    let (natter, peer) = (natter, speaker(of: number))
    natter.type("a-\(probe). probe")
    given += 1
    peer.send("b-\(probe). probe", to: everybody)
    offered.insert(probe)
    // The obstacle is reported by `stuck`.
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
    let rows = try? await stored()
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
      peers = try await Self.peers(scene, of: server)
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

  func collect(_ natter: LineNatter) {
    typed.formUnion(natter.state.typed)
    received.formUnion(natter.state.received)
  }
}
