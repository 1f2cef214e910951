import Foundation
import TestSupport
import Testing

/// A script that is killed again and again while messages come.
@Suite(.requires(.python3), .limitedConcurrency) struct CursorKillTests {
  let scripts: ScriptHome
  init() throws { scripts = try ScriptHome() }

  private static let manifest = """
    start = "login"
    [permission."messages.read"]
    why = "to keep a list of them"
    in = ["direct"]

    """

  /// A script that appends the cursor and the text of each message to a file, in one write, and
  /// passes over what it has: it may be killed before the cursor is noted elsewhere.
  private static let keeping = """
    import os
    import natter

    connection = natter.connect()
    with open("process.new", "w") as file:
        file.write(f"{os.getpid()}\\n")
    os.rename("process.new", "process")
    kept = os.open("kept", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    lines = open("kept").read().splitlines()
    last = int(lines[-1].split()[0]) if lines else 0

    @connection.on("message.new", ["direct"])
    def keep(message, event):
        global last
        if event["cursor"] > last:
            last = event["cursor"]
            os.write(kept, f"{last} {message['body']}\\n".encode())

    connection.run()

    """

  /// The process of the script, as it has noted it itself.
  private var process: pid_t? {
    let text = scripts.home.folder.text(scripts.file("process", of: "keeper"))
    return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  private var kept: [(cursor: Int, body: String)] {
    let text = scripts.home.folder.text(scripts.file("kept", of: "keeper")) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 ? Int(parts[0]).map { ($0, String(parts[1])) } : nil
    }
  }

  @Test func `kill -9 of a script loses and doubles no message by its cursor`() async throws {
    let count = LongTests.size(20, long: 200)
    try await scripts.add("keeper", Self.manifest, Self.keeping)
    try await scripts.scripts("grant", "keeper", "messages.read", "--in", "direct")
    // Somebody who gives no answers.
    let bob = try LineNatter(["--local", "--account", "bob", "--no-scripts"], home: scripts.home)
    #expect(await bob.waits(upTo: .seconds(60)) { $0.isOnline })
    #expect(await bob.quit() == .exited(0))

    let owner = try LineNatter(["--local"], home: scripts.home)
    // From its first note on, it is to have every message.
    #expect(try await polls { !scripts.values(of: "keeper").isEmpty })
    owner.type("/chat bob@localhost")
    var number = 0
    var killed: pid_t?
    for round in 1...count {
      let running = try await next(after: killed)
      for _ in 1...3 {
        number += 1
        owner.type("a-\(number).")
      }
      let newest = number
      switch round % 4 {
      // At whatever moment of its start it is, while messages come.
      case 0: break
      // Before the script knows of them, or while it does.
      case 1: #expect(await owner.waits(upTo: .seconds(60)) { $0.typed.contains(newest) })
      // Between a message and the note about it, or after.
      case 2: #expect(try await polls { has("a-\(newest - 2).") })
      default: #expect(try await polls { has("a-\(newest).") })
      }
      #expect(Foundation.kill(running, SIGKILL) == 0)
      killed = running
      // At once, and not after a pause that grows.
      owner.type("/script restart keeper")
    }
    _ = try await next(after: killed)
    number += 1
    owner.type("a-\(number).")
    let last = number
    #expect(try await polls { has("a-\(last).") })
    #expect(await owner.quit() == .exited(0))

    let all = kept
    let sent = all.map(\.body).filter { $0.hasPrefix("a-") }
    #expect(sent == (1...last).map { "a-\($0)." })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.cursor < $1.cursor })
  }

  private func has(_ body: String) -> Bool { kept.contains { $0.body == body } }

  /// Waits until the script runs again, as another process.
  private func next(after killed: pid_t?) async throws -> pid_t {
    #expect(try await polls { process.map { $0 != killed } ?? false }, "no start after \(kept)")
    return try #require(process)
  }
}
