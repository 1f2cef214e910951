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
    let session = try await session(lines, beginning: bob) { $0.historyFiles = TwoMessages() }
    #expect(await session.take("/export jsonl /tmp/a.jsonl"))
    #expect(
      lines.all.last == "2 messages are in /tmp/a.jsonl. /import reads them, here or elsewhere.")
    #expect(await session.take("/import /tmp/a.ceb"))
    #expect(
      lines.all.last
        == "/tmp/a.ceb is encrypted. natter import in a shell asks for its password, also now.")
    #expect(await session.take("/import undo"))
    #expect(lines.all.last == "There is no import to undo.")
    #expect(await session.take("/import"))
    #expect(lines.all.last == "Name the file or folder of a history: /import FILE")
    #expect(await session.take("/export cancel"))
    #expect(lines.all.last == "No export or import is under way.")
  }

  @Test func `without a conversation nothing is exported`() async throws {
    let lines = Lines()
    let session = try await session(lines) { $0.historyFiles = TwoMessages() }
    #expect(await session.take("/export"))
    #expect(lines.all.count == 1 && lines.all.last?.contains("/chat") == true)
  }
}
