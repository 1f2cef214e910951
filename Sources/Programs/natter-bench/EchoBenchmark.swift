import Foundation
import TestSupport

/// `natter-bench echo`: the time until a key is on the screen, while idle and while messages
/// arrive, and the time to redraw after a change of the terminal's size; compared with profanity on
/// the same server, and with the least that any program with ncurses takes. In alternation, so that
/// other load on the machine affects all of them.
struct EchoBenchmark {
  /// The program that is measured.
  let natter: String
  /// The number of keys that are typed in each state.
  var keys = 200

  private static let rate = 200
  private static let resizes = 20
  /// As many keys as fit on an input line; then the next program is measured.
  private static let turn = 20

  /// Reads `--natter PATH` (default: the one beside this program) and `--keys N`.
  init(arguments: [String]) throws {
    natter = StartBenchmark.program(arguments)
    keys = max(1, StartBenchmark.value("--keys", arguments).flatMap { Int($0) } ?? keys)
  }

  func run() async throws {
    let folder = try TemporaryFolder("echo")
    defer { folder.remove() }
    let server = try await ProsodyServer(
      users: ["alice": "secret", "bob": "secret", "carol": "secret"])
    do {
      let peer = try await SlixmppPeer(server.jid("bob"), password: "secret", server: server)
      var entrants = try await entrants(on: server, peer, in: folder)
      try await measure(&entrants)
      EchoReport(natter: natter, keys: keys, rate: Self.rate, entrants: entrants).show()
      for entrant in entrants { await entrant.terminal.stop() }
      await peer.signOut()
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  /// The floor is the first.
  private func entrants(
    on server: any XMPPServer, _ peer: SlixmppPeer, in folder: TemporaryFolder
  ) async throws -> [EchoEntrant] {
    let bob = server.jid("bob")
    func talk(to name: String) -> EchoEntrant.Talk {
      { try await peer.talk(to: server.jid(name), perSecond: Self.rate, until: $0) }
    }
    let floor = try EchoFloor(in: folder)
    let screen = try await NatterScreen(natter, "alice", talkingTo: bob, on: server)
    var entrants = [
      try await EchoEntrant("ncurses in C", floor.terminal, keeping: floor) {
        try await floor.talk(perSecond: Self.rate, until: $0)
      },
      try await EchoEntrant("natter", screen.terminal, keeping: screen, talk: talk(to: "alice")),
    ]
    if let problem = ProgramRequirement.profanity.problem {
      print("without profanity: \(problem)")
    } else {
      let client = try await ProfanityClient(
        server.jid("carol"), password: "secret", server: server, rows: 40, columns: 120)
      client.enter("/msg \(bob)")
      try await client.terminal.expects("the conversation") { $0.text(row: 0).contains(bob) }
      entrants.append(
        try await EchoEntrant(
          "profanity", client.terminal, keeping: client, talk: talk(to: "carol")))
    }
    return entrants
  }

  private func measure(_ entrants: inout [EchoEntrant]) async throws {
    var random = SeededGenerator(seed: 1)
    let rhythm = (0..<keys).map { _ in Duration.milliseconds(.random(in: 40...100, using: &random))
    }
    for isBusy in [false, true] {
      for first in stride(from: 0, to: keys, by: Self.turn) {
        let pauses = Array(rhythm[first..<min(keys, first + Self.turn)])
        for index in entrants.indices { try await entrants[index].type(pauses, isBusy: isBusy) }
      }
    }
    for round in 0..<Self.resizes {
      let size = round.isMultiple(of: 2) ? (rows: 30, columns: 100) : (rows: 40, columns: 120)
      for index in entrants.indices {
        try await entrants[index].resize(rows: size.rows, columns: size.columns)
      }
    }
  }
}
