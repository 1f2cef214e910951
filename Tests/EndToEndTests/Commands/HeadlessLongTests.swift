import TestSupport
import Testing

/// The commands that read, a hundred at the same time: more than a default run has memory for.
@Suite(.long, .limitedConcurrency) struct HeadlessLongTests {
  @Test func `a hundred at once beside a full screen have all it has stored`() async throws {
    let home = try Home()
    let screen = try NatterRun.local(home: home)
    try await screen.openGuide()
    for number in 1...3 {
      try await HistoryReaders.haveAll(
        100, beside: screen, in: home, after: "line number \(number)")
    }
    #expect(await screen.quit() == .exited(0))
  }
}
