import Foundation
import TestSupport
import XMPP

// A large file uploaded and downloaded by the program itself, on a terminal, while keys are typed.
extension TransferBenchmark {
  /// The figures of an upload or a download.
  private struct Passage {
    var seconds = 0.0
    /// From a key to its effect on the screen, in milliseconds.
    var answers: [Double] = []
    /// The resident memory before, and its peak while the file moved, in bytes.
    var (idle, peak) = (0, 0)
  }

  func measureScreen(_ server: any XMPPServer) async throws {
    let folder = try TemporaryFolder("transfer")
    defer { folder.remove() }
    let (source, target) = (folder.path("source"), folder.path("target"))
    try await makeFile(source)
    let bob = server.jid("bob")
    let peer = try await SlixmppPeer(bob, password: "secret", server: server)
    let screen = try await NatterScreen(natter, "alice", talkingTo: bob, on: server)
    let terminal = screen.terminal

    let up = try await pass(terminal, "/upload \(source)") {
      try await peer.message(upTo: .seconds(1800)) { $0.body?.hasPrefix("https://") == true }
    }
    let address = try await peer.message { $0.body?.hasPrefix("https://") == true }.body ?? ""
    try await peer.send(
      xml: """
        <message to='\(server.jid("alice"))' type='chat' id='back'><body>\(address)</body>\
        <x xmlns='jabber:x:oob'><url>\(address)</url></x></message>
        """)
    try await terminal.expects("the file that came", upTo: .seconds(60)) { screen in
      screen.lines.count { $0.contains("│ source") } == 2
    }
    let down = try await pass(terminal, "/save 1 \(target)") {
      try await terminal.shows("is saved", upTo: .seconds(1800))
    }
    try await CommandRun.check("cmp", [source, target], upTo: .seconds(600))
    terminal.press(.control("q"))
    await terminal.waitsForEnd(upTo: .seconds(60))
    await peer.signOut()
    report("  screen, upload", up)
    report("  screen, download", down)
  }

  /// Runs a command, and types until it is done.
  private func pass(
    _ terminal: PTYProcess, _ command: String,
    until end: @escaping @Sendable () async throws -> Void
  ) async throws -> Passage {
    terminal.type(command)
    try await terminal.shows(String(command.suffix(12)), upTo: .seconds(60))
    var passage = Passage()
    passage.idle = try ResidentMemory.resetPeak(of: terminal.child.identifier)
    terminal.press(.enter)
    let clock = ContinuousClock()
    let start = clock.now
    let isOver = Observed(false)
    async let ending: Void = {
      defer { isOver.update { $0 = true } }
      try await end()
    }()
    var typed = 0
    while !isOver.value {
      let before = terminal.screen.cursor
      let pressed = clock.now
      // A line at a time: then it is discarded.
      if typed % 40 == 39 { terminal.press(.control("u")) } else { terminal.type("x") }
      typed += 1
      guard await terminal.waits(upTo: .seconds(20), until: { $0.cursor != before }) else {
        throw Failure(description: "a key was not answered within 20 s:\n\(terminal.screen)")
      }
      passage.answers.append((clock.now - pressed) / .milliseconds(1))
      _ = await isOver.waits(upTo: .milliseconds(50)) { $0 }
    }
    try await ending
    passage.seconds = (clock.now - start) / .seconds(1)
    passage.peak = try ResidentMemory.peak(of: terminal.child.identifier)
    terminal.press(.control("u"))
    return passage
  }

  private func report(_ what: String, _ passage: Passage) {
    let answers = passage.answers
    func at(_ part: Double) -> String {
      answers.isEmpty ? "-" : String(format: "%.1f", Table.percentile(part, of: answers))
    }
    let more = String(format: "%.1f", Double(max(0, passage.peak - passage.idle)) / 1e6)
    print(
      "\(what): \(Int(Double(megabytes) / passage.seconds)) MB/s; memory: idle "
        + "\(passage.idle / 1_000_000) MB, at most \(more) MB more; \(answers.count) keys, answered in "
        + "\(at(0.5)) ms at the median, \(at(0.95)) ms at the 95th percentile, \(at(1)) ms at most")
  }
}
