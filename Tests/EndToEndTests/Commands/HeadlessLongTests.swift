import TestSupport
import Testing

/// The commands that read, a hundred at the same time: more than a default run has memory for.
@Suite(.long, .limitedConcurrency) struct HeadlessLongTests {
  @Test func `a hundred at once beside a full screen have all it has stored`() async throws {
    let home = try Home()
    let screen = try NatterRun.local(home: home)
    try await screen.openGuide()
    for number in 1...3 {
      try await screen.say("line number \(number)")
      try await screen.shows("line number \(number)")
      let runs = try await withThrowingTaskGroup(of: CommandRun.self) { group in
        for _ in 0..<100 {
          group.addTask {
            try await CommandRun(
              Programs.natter,
              ["history", "natter@localhost", "--limit=0", "--account", "me@localhost"],
              environment: home.environment(), upTo: .seconds(600))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(runs.count == 100)
      for run in runs {
        #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
        #expect(run.text.contains("you  line number \(number)\n"), "\(run.text)")
      }
    }
    #expect(await screen.quit() == .exited(0))
  }
}
