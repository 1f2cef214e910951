import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// `/export` and `/import` in the full screen.
@Suite struct HistoryFileToolTests {
  private actor FakeFiling: HistoryFiling {
    var calls: [String] = []
    private var failure: NatterError?
    private var waits = false
    private var imported = ImportedHistory(path: "/old/log", format: "mcabber")

    func fail(with error: NatterError) { failure = error }
    func wait() { waits = true }
    func bring(_ history: ImportedHistory) { imported = history }

    private func called(_ call: String) async throws {
      calls.append(call)
      if waits {
        // Only a cancellation ends it.
        let (never, news) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        news.finish()
        try Task.checkCancellation()
      }
      if let failure { throw failure }
    }

    func export(
      _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
      progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ExportedHistory {
      try await called(
        "export \(conversation) \(format?.rawValue ?? "-") \(path ?? "-")")
      return ExportedHistory(
        path: path ?? "/home/bob.txt", format: format ?? .html, messages: 2)
    }
    func importHistory(
      at path: String, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> ImportedHistory {
      try await called("import \(path)")
      return imported
    }
    func undoLastImport() async throws -> UndoneImport? {
      try await called("undo")
      return UndoneImport(path: "/old/log", messages: 3)
    }
  }

  private let files = FakeFiling()

  private func shell() async -> ShellViewModel {
    let ports = FakePorts(
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    var all = ShellViewModel.Ports(
      timeline: ports, conversations: ports, histories: ports, roster: ports,
      rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
      sender: ports, files: .on(FakeFiles()), preferences: ports)
    all.historyFiles = files
    let shell = ShellViewModel(
      ports: all, format: testFormat(), scheduler: ManualTimers().scheduler,
      actions: .forTests(), now: { .afternoon })
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  /// Runs a command until it has ended; returns the status line.
  private func run(_ line: String, in shell: ShellViewModel) async -> String {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
    await shell.requests.historyFile?.lifetime.settle()
    return shell.status.message.text
  }

  @Test(arguments: [
    ("", HistoryFileRequest.export(.text, path: nil)), ("html", .export(.html, path: nil)),
    ("HTML ~/my chat.html", .export(.html, path: "~/my chat.html")),
    ("chat.jsonl", .export(nil, path: "chat.jsonl")), ("cancel", .cancel),
    ("text cancel", .export(.text, path: "cancel")),
  ])
  func `the first word of an export may be a format`(text: String, request: HistoryFileRequest)
    throws
  {
    #expect(try HistoryFileRequest(exporting: text) == request)
  }

  @Test func `an import has a path or an operation`() throws {
    #expect(try HistoryFileRequest(importing: "undo") == .undo)
    #expect(try HistoryFileRequest(importing: "cancel") == .cancel)
    #expect(try HistoryFileRequest(importing: "./undo") == .load(path: "./undo"))
    #expect(try HistoryFileRequest(importing: "~/old logs") == .load(path: "~/old logs"))
    #expect(throws: NatterError(.invalidInput, "error.historyFile.path")) {
      try HistoryFileRequest(importing: "")
    }
    #expect(throws: NatterError(.invalidInput, "error.historyFile.archive")) {
      try HistoryFileRequest(exporting: "archive all.tar")
    }
  }

  @Test func `an export says where the file is, and how to look at it`() async {
    let shell = await shell()
    #expect(
      await run("/export html ~/bob.html", in: shell)
        == "2 messages are in /home/alice/bob.html. Open it in a browser.")
    #expect(
      await run("/export", in: shell) == "2 messages are in /home/bob.txt. Any editor shows them.")
    #expect(
      await files.calls == [
        "export bob@example.net html /home/alice/bob.html", "export bob@example.net text -",
      ])
  }

  @Test func `an import says what came, and how to undo it`() async {
    let shell = await shell()
    var history = ImportedHistory(path: "/old/log", format: "mcabber")
    (history.added, history.known, history.refused) = (3, 2, 1)
    history.location = "log:7"
    await files.bring(history)
    #expect(
      await run("/import /old/log", in: shell)
        == "log (mcabber): messages added: 3; already here: 2. "
        + "Entries that could not be read: 1, the first in log:7. "
        + "In Chats, /import undo removes them again.")
    #expect(
      await run("/import undo", in: shell)
        == "The import of log is undone: 3 messages removed.")
    (history.added, history.refused) = (0, 0)
    await files.bring(history)
    #expect(
      await run("/import /old/log", in: shell)
        == "log (mcabber): nothing new; already here: 2.")
  }

  @Test func `an error says what to do`() async {
    let shell = await shell()
    await files.fail(
      with: NatterError(.storage, "error.historyFile.exists", ["path": "/home/a.txt"]))
    #expect(
      await run("/export /home/a.txt", in: shell)
        == "/home/a.txt exists already and is not replaced. Name another file.")
  }

  @Test func `one runs at a time, with its progress, and cancel ends it`() async {
    let shell = await shell()
    await files.wait()
    shell.type("/export text")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "Exporting bob@example.net ... - in Chats: /export cancel")
    shell.type("/import /old/log")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text.hasPrefix("An export or import is under way."))
    #expect(
      await run("/export cancel", in: shell) == "The export was cancelled. No file was written.")
    #expect(shell.requests.historyFile?.progress == nil)
  }

  @Test func `formats and operations are completed`() async {
    let shell = await shell()
    for (typed, completed) in [("/export h", "/export html "), ("/import un", "/import undo ")] {
      shell.type(typed)
      shell.input.complete()
      #expect(shell.input.text == completed)
    }
  }
}
