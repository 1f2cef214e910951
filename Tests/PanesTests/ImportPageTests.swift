import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The page with the histories that can be imported.
@Suite struct ImportPageTests {
  private let histories = FakeHistories()

  /// The page, once the history that is found is counted.
  private func harness(_ size: Size) async throws -> ShellHarness {
    await histories.add(
      "/home/alice/.local/share/profanity", format: "profanity", HistoryContent(messages: 12))
    await histories.setNewest(
      ImportBatch(id: 1, format: "mcabber", path: "/mnt/log", at: .minutes(0), rows: 3))
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [
          .imports(histories), .about { AboutViewModel(shell: $0, sources: .forTests) },
        ])
      ], files: FakeFiles(), historyFiles: histories)
    harness.press(Key(.function(6)), .enter)
    try await until {
      await harness.settle()
      return harness.picture.contains("12 messages")
    }
    return harness
  }

  private func shows(_ row: String, _ harness: ShellHarness) {
    #expect(harness.rows.contains { $0.contains(row) }, "\(harness.picture)")
  }

  @Test(arguments: [
    (
      Size(rows: 40, columns: 120), "> profanity: ~/.local/share/profanity  12 messages",
      "  Undo the last import                 log, 3 messages"
    ),
    (
      Size(rows: 24, columns: 80), "> profanity: ~/.local/share/profa~ 12 messages",
      "  Undo the last import             log, 3 messages"
    ),
    (
      Size(rows: 30, columns: 40), "> profanity: ~/.local/~ 12 messages",
      "  Undo the last import  log, 3 messag~"
    ),
  ])
  func `a history is a row with its number of messages`(
    size: Size, found: String, undo: String
  ) async throws {
    let harness = try await harness(size)
    shows(found, harness)
    shows("  Another file or fold", harness)
    shows(undo, harness)
    shows("Enter imports it", harness)
    harness.press(.enter)
    await harness.settle()
    #expect(harness.done.contains { $0.hasPrefix("ask import.ask ") })
    #expect(await histories.calls == [])
  }

  @Test func `an import that runs shows its progress, and the row that ends it`() async throws {
    let harness = try await harness(Size(rows: 40, columns: 120))
    await histories.wait()
    harness.shell.type("/import /mnt/old")
    harness.shell.submit()
    try await until {
      await harness.settle()
      return harness.rows.contains {
        $0.contains("Another file or folder...            7 messages ...")
      }
    }
    shows("Cancel                               the import of old", harness)
    harness.press(Key(.end), .enter)
    try await until {
      await harness.settle()
      return !harness.picture.contains("the import of old")
    }
    shows("The import was cancelled.", harness)
  }

  @Test func `where nothing is imported there is no page`() async {
    let harness = await ShellHarness(
      Size(rows: 40, columns: 120),
      factories: [
        MeFactory(pages: [
          .imports(histories), .about { AboutViewModel(shell: $0, sources: .forTests) },
        ])
      ])
    harness.press(Key(.function(6)))
    await harness.settle()
    #expect(harness.picture.contains("About") && !harness.picture.contains("Import"))
  }
}
