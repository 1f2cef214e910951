import TestSupport
import Testing

/// `natter history` many times at once, beside a Natter of the built-in server.
enum HistoryReaders {
  /// Says a line to Natter's guide, and expects each of so many readers to print it.
  static func haveAll(
    _ count: Int, beside screen: NatterRun, in home: Home, after line: String
  ) async throws {
    try await screen.say(line)
    try await screen.shows(line)
    let runs = try await withThrowingTaskGroup(of: CommandRun.self) { group in
      for _ in 0..<count {
        group.addTask {
          try await CommandRun(
            Programs.natter,
            ["history", "natter@localhost", "--limit=0", "--account", "me@localhost"],
            environment: home.environment(), upTo: .seconds(600))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(runs.count == count)
    for run in runs {
      #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
      #expect(run.text.contains("you  \(line)\n"), "\(run.text)")
    }
  }
}
