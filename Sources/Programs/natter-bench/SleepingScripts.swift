import Foundation
import TestSupport

/// What many enabled scripts cost that have nothing to do.
struct SleepingScripts {
  let natter: String
  let runs: Int

  static let count = 20
  private static let size: (rows: UInt16, columns: UInt16) = (40, 120)
  private static let windows = 3

  /// Milliseconds from the program's start to its first frame, in alternation.
  func firstFrames() async throws -> (with: [Double], without: [Double]) {
    let (with, without) = (try profile(isFull: true), try profile(isFull: false))
    for profile in [with, without] { try await StartBenchmark.signIn(in: profile.home.data) }
    func time(_ profile: ScriptProfile) throws -> Double {
      let process = TimedProcess(
        command: [natter],
        environment: profile.home.natterEnvironment.map { "\($0.key)=\($0.value)" },
        size: Self.size)
      return try process.firstFrame(showing: StartBenchmark.readyText).time / .milliseconds(1)
    }
    var times = (with: [Double](), without: [Double]())
    // The first round fills the page cache.
    for round in 0...runs {
      let isFirst = round.isMultiple(of: 2)
      let first = try time(isFirst ? with : without)
      let second = try time(isFirst ? without : with)
      guard round > 0 else { continue }
      times.with.append(isFirst ? first : second)
      times.without.append(isFirst ? second : first)
    }
    return times
  }

  /// What an idle Natter does that is online.
  struct Idleness {
    /// The processes of scripts.
    let processes: Int
    /// How often threads of Natter woke up in the quietest of some windows of `window`, with the
    /// scripts and without.
    let wakes: (with: Int, without: Int)
  }

  /// - Parameter window: how long wake-ups are counted for.
  func idleness(over window: Duration) async throws -> Idleness {
    let profiles = (with: try profile(isFull: true), without: try profile(isFull: false))
    let with = try await NatterScreen(
      local: natter, in: profiles.with.home, talkingTo: "natter@localhost")
    let without = try await NatterScreen(
      local: natter, in: profiles.without.home, talkingTo: "natter@localhost")
    let screens = [with, without]
    func sleeps() -> [[String: Int]] {
      screens.map { ProcessStatus.sleeps(of: $0.terminal.child.identifier) }
    }
    // A program that is never idle is measured all the same.
    _ = try await settles(for: .seconds(2), upTo: .seconds(30), sleeps)
    var wakes: [[Int]] = [[], []]
    var processes = 0
    for _ in 0..<Self.windows {
      let before = sleeps()
      // The pause is what is measured; it does not wait for anything.
      try await Task.sleep(for: window)
      let after = sleeps()
      for index in wakes.indices {
        wakes[index].append(ProcessStatus.wakes(from: before[index], to: after[index]))
      }
      processes = max(processes, profiles.with.processes.count)
    }
    for screen in screens { await screen.terminal.stop() }
    return Idleness(
      processes: processes, wakes: (with: wakes[0].min() ?? 0, without: wakes[1].min() ?? 0))
  }

  private func profile(isFull: Bool) throws -> ScriptProfile {
    let profile = try ScriptProfile(natter)
    for number in 1...Self.count where isFull {
      try profile.add(
        .init(
          name: "sleeper\(number)", run: ["python3", "-B", "main.py"],
          file: ("main.py", ScriptPrograms.asleep),
          manifest: """
            start = "lazy"
            events = ["room.member"]
            [permission."rooms.read"]
            why = "to see who comes in"
            in = ["rooms"]
            [permission."ui.command"]
            why = "for its command"
            [command.sleeper\(number)]
            help = "Wakes it"
            palette = true
            [url.tickets]
            prefixes = ["https://tickets\(number).example/"]

            """, grants: [["rooms.read", "--in", "rooms"], ["ui.command"]]))
    }
    return profile
  }
}
