import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

// `/export` and `/import` in line mode.
extension PlainSessionTests {
  /// Exports two messages, and knows no import.
  private struct TwoMessages: HistoryFiling {
    func export(
      _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
      progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ExportedHistory {
      ExportedHistory(path: path ?? "/home/a.txt", format: format ?? .text, messages: 2)
    }
    func importHistory(
      at path: String, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ImportedHistory {
      throw NatterError(.invalidInput, "error.historyFile.password", ["path": path])
    }
    func undoLastImport() async throws -> UndoneImport? { nil }
  }

  @Test func `an export and an import are done before the next line, and say what came of them`()
    async throws
  {
    let lines = Lines()
    let session = try await session(lines, beginning: bob) {
      $0.extras.historyFiles = TwoMessages()
    }
    #expect(await session.take("/export jsonl /tmp/a.jsonl"))
    #expect(
      lines.all.last == "2 messages are in /tmp/a.jsonl. /import reads them, here or elsewhere.")
    #expect(await session.take("/import /tmp/a.ceb"))
    #expect(
      lines.all.last
        == "/tmp/a.ceb is encrypted. Use natter import in a shell: it asks for the password. Natter "
        + "can stay open.")
    #expect(await session.take("/import undo"))
    #expect(lines.all.last == "There is no import to undo.")
    #expect(await session.take("/import"))
    #expect(lines.all.last == "Name the file or folder of a history: /import FILE")
    #expect(await session.take("/export cancel"))
    #expect(lines.all.last == "No export or import is under way.")
  }

  private struct OneImport: HistoryFiling {
    func export(
      _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
      progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ExportedHistory {
      throw NatterError(.invalidInput, "error.historyFile.nothing")
    }
    func importHistory(
      at path: String, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ImportedHistory {
      var history = ImportedHistory(path: path, format: "mcabber")
      history.added = 3
      return history
    }
    func undoLastImport() async throws -> UndoneImport? { nil }
  }

  @Test func `how to undo an import is said without the tab of the full screen`() async throws {
    let lines = Lines()
    let session = try await session(lines, beginning: bob) {
      $0.extras.historyFiles = OneImport()
    }
    #expect(await session.take("/import /old/log"))
    #expect(lines.all.last?.hasSuffix(" already here: 0. /import undo removes them again.") == true)
  }

  /// Goes on until it is cancelled.
  private struct Endless: HistoryFiling {
    let begun = Observed(0)

    private func wait() async throws {
      begun.update { $0 += 1 }
      try await Pause.endless(.zero)
    }
    func export(
      _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
      progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ExportedHistory {
      try await wait()
      return ExportedHistory(path: "/home/a.txt", format: .text, messages: 1)
    }
    func importHistory(
      at path: String, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ImportedHistory {
      try await wait()
      return ImportedHistory(path: path, format: "natter")
    }
    func undoLastImport() async throws -> UndoneImport? { nil }
  }

  @Test func `the end of the program does not wait for an export or an import`() async throws {
    let (lines, files) = (Lines(), Endless())
    let session = try await session(lines, beginning: bob) { $0.extras.historyFiles = files }
    for (number, line, key) in [
      (1, "/export", "status.historyFile.exportCancelled"),
      (2, "/import /tmp/a", "status.historyFile.importStopped"),
    ] {
      let taking = Task { await session.take(line) }
      #expect(await files.begun.waits { $0 == number })
      taking.cancel()
      #expect(await taking.value)
      #expect(lines.all.last == session.localizer(key))
    }
  }

  @Test func `without a conversation nothing is exported`() async throws {
    let lines = Lines()
    let session = try await session(lines) { $0.extras.historyFiles = TwoMessages() }
    #expect(await session.take("/export"))
    #expect(lines.all.count == 1 && lines.all.last?.contains("/chat") == true)
  }
}
