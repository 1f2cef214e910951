import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The page with the histories that can be imported.
@Suite struct ImportViewModelTests {
  private final class Asked {
    var questions: [ConfirmRequest] = []
  }
  private let asked = Asked()
  private let histories = FakeHistories()
  private let profanity = "/home/alice/.local/share/profanity"

  /// - Parameter isOpen: whether the user has opened the page.
  private func page(isOpen: Bool = true) async -> (ImportViewModel, ShellViewModel) {
    let asked = asked
    var actions = ShellActions.forTests()
    actions.confirm = { asked.questions.append($0) }
    let ports = FakePorts(conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let shell = ShellViewModel(
      ports, actions: actions, files: .on(FakeFiles()), historyFiles: histories)
    await shell.load()
    shell.open(.bob)
    let page = ImportViewModel(shell: shell, finding: histories)
    page.isFocused = isOpen
    await settle(page, shell)
    return (page, shell)
  }

  private func settle(_ page: ImportViewModel, _ shell: ShellViewModel) async {
    await page.counting.settle()
    await shell.requests.historyFile?.lifetime.settle()
    await shell.lifetime.settle()
  }

  private func batch(_ path: String, rows: Int, id: Int64 = 1) -> ImportBatch {
    ImportBatch(id: id, format: "mcabber", path: path, at: .minutes(0), rows: rows)
  }

  @Test func `what is found is counted once the user opens the page`() async {
    await histories.add(profanity, format: "profanity", HistoryContent(messages: 1))
    await histories.add("/mnt/logs.db", format: "gajim", HistoryContent(messages: 12))
    let (page, shell) = await page(isOpen: false)
    #expect(page.items.map(\.id) == ["other", "undo"])
    #expect(page.help[0] == "Open this page to look for histories of other programs.")
    #expect(await histories.counted == [])
    page.isFocused = true
    #expect(page.help[0] == "Looking for histories of other programs ...")
    await settle(page, shell)
    #expect(
      page.items.map(\.title) == [
        "profanity: ~/.local/share/profanity", "gajim: /mnt/logs.db",
        "Another file or folder...", "Undo the last import",
      ])
    #expect(page.items.map(\.value) == ["1 message", "12 messages", "", "none"])
    #expect(page.items.map(\.isSelected) == [true, false, false, false])
    #expect(page.help[0] == "profanity: ~/.local/share/profanity")
    #expect(page.help[1].hasPrefix("Enter imports it into this account"))
  }

  @Test func `what cannot be read says why, and is not imported`() async {
    let error = NatterError(
      .storage, "cli.import-unreadable", ["path": "/mnt/dino.db", "reason": "13"])
    await histories.add(
      "/mnt/dino.db", format: "dino", HistoryContent(messages: 0, isUseless: true, failure: error))
    await histories.add(
      "/mnt/psi", format: "psi",
      HistoryContent(
        messages: 5, failure: NatterError(.invalidInput, "cli.import-damaged", ["path": "/mnt/psi"])
      ))
    await histories.fail("/mnt/histo", format: "mcabber", with: error)
    await histories.add("/mnt/x", format: "poezio", HistoryContent(messages: 0, isUseless: true))
    let (page, shell) = await page()
    #expect(
      page.items.map(\.value) == [
        "not readable", "5 messages", "not readable", "not readable", "", "none",
      ])
    #expect(page.items.map(\.note) == ["", "not readable to its end", "", "", "", ""])
    #expect(page.items[1].isWrong)
    #expect(
      page.help == [
        "dino: /mnt/dino.db", "/mnt/dino.db cannot be read: permission denied",
        "Nothing of it can be imported.",
      ])
    page.open()
    #expect(shell.status.message.text == "/mnt/dino.db cannot be read: permission denied")
    page.moveSelection(3)
    page.open()
    #expect(shell.status.message.text == "Nothing of /mnt/x could be read.")
    #expect(asked.questions.isEmpty)
    // A part can be imported.
    page.moveSelection(-2)
    page.open()
    #expect(asked.questions.count == 1)
  }

  @Test func `where nothing is found it says so, and where it was looked for`() async {
    let (page, _) = await page()
    #expect(page.items.map(\.id) == ["other", "undo"])
    #expect(
      page.help == [
        "No history of another program was found. These were searched: "
          + "~/.local/share/profanity, /mnt/histo",
        "A history elsewhere: Enter begins the command /import, and Tab completes the path.",
      ])
  }

  @Test func `what was counted is not counted again, unless it could not be read`() async {
    await histories.add(profanity, format: "profanity", HistoryContent(messages: 1))
    await histories.add(
      "/mnt/dino.db", format: "dino",
      HistoryContent(
        messages: 0, isUseless: true, failure: NatterError(.storage, "cli.import-password")))
    let (page, shell) = await page()
    page.select("found 1")
    page.isFocused = false
    await histories.add("/mnt/dino.db", format: "dino", HistoryContent(messages: 4))
    await histories.add("/mnt/logs.db", format: "gajim", HistoryContent(messages: 12))
    page.isFocused = true
    await settle(page, shell)
    #expect(page.items.map(\.value) == ["1 message", "4 messages", "12 messages", "", "none"])
    #expect(page.items[1].isSelected)
    #expect(
      await histories.counted == [profanity, "/mnt/dino.db", "/mnt/dino.db", "/mnt/logs.db"])
  }

  @Test func `Enter asks, and then imports what /import would`() async throws {
    await histories.add(profanity, format: "profanity", HistoryContent(messages: 3))
    let (page, shell) = await page()
    page.open()
    let question = try #require(asked.questions.first)
    #expect(question.textKey == "import.ask")
    #expect(
      question.arguments == [
        "path": "~/.local/share/profanity", "format": "profanity", "account": "alice@example.org",
      ])
    #expect(await histories.calls == [])
    question.onAccept()
    await settle(page, shell)
    #expect(await histories.calls == ["import \(profanity)"])
    #expect(
      shell.status.message.text
        == "profanity (profanity): messages added: 3; already here: 0. "
        + "In Chats, /import undo removes them again.")
    #expect(page.items.last?.value == "profanity, 3 messages")
  }

  @Test func `one runs at a time, its row has the progress, and another one ends it`()
    async throws
  {
    await histories.add(profanity, format: "profanity", HistoryContent(messages: 30))
    await histories.add("/mnt/logs.db", format: "gajim", HistoryContent(messages: 12))
    await histories.setNewest(batch("/mnt/log", rows: 2))
    await histories.wait()
    let (page, shell) = await page()
    page.open()
    page.select("found 1")
    page.open()
    for question in asked.questions { question.onAccept() }
    // The second answer came too late.
    #expect(shell.status.message.text.hasPrefix("An export or import is under way."))
    try await until { page.items[0].value == "7 messages ..." }
    #expect(
      page.items.map(\.value) == [
        "7 messages ...", "12 messages", "", "log, 2 messages", "the import of profanity",
      ])
    shell.isCalm = true
    #expect(page.items[0].value == "importing ...")
    for row in ["found 0", "found 1", "undo"] {
      page.select(row)
      page.open()
    }
    #expect(asked.questions.count == 2)
    page.moveSelection(.max)
    #expect(page.items.last?.title == "Cancel" && page.items.last?.isSelected == true)
    page.open()
    await settle(page, shell)
    #expect(await histories.calls == ["import \(profanity)"])
    #expect(shell.status.message.text == "The import was cancelled. Nothing was imported.")
    #expect(page.items.map(\.id) == ["found 0", "found 1", "other", "undo"])
    #expect(page.items.last?.isSelected == true && page.items[0].value == "30 messages")
  }

  @Test func `what the commands have begun is shown, too`() async throws {
    await histories.wait()
    let (page, shell) = await page()
    try shell.tools.historyFiles.run(.load(path: "/mnt/old log"))
    try await until { page.items[0].value == "7 messages ..." }
    #expect(page.items.map(\.id) == ["other", "undo", "cancel"])
    #expect(page.items.last?.value == "the import of old log")
    await histories.release()
    await settle(page, shell)
    #expect(page.items.map(\.value) == ["", "old log, 3 messages"])
    await histories.wait()
    try shell.tools.historyFiles.run(.export(.text, path: nil))
    #expect(
      page.items.map(\.value) == ["", "old log, 3 messages", "the export of bob@example.net"])
    page.select("cancel")
    page.open()
    await settle(page, shell)
    #expect(page.items.count == 2)
    try shell.tools.historyFiles.run(.undo)
    #expect(page.items.map(\.value) == ["", "undoing ...", "undoing ..."])
    await histories.release()
    await settle(page, shell)
    #expect(page.items.map(\.value) == ["", "none"])
  }

  @Test func `an import is undone after a question`() async throws {
    await histories.setNewest(batch("/home/alice/log", rows: 2))
    let (page, shell) = await page()
    page.select("undo")
    #expect(page.items.last?.value == "log, 2 messages" && page.help[0] == "~/log")
    page.open()
    let question = try #require(asked.questions.first)
    #expect(question.textKey == "import.undoAsk")
    #expect(question.arguments == ["path": "~/log", "count": "2"])
    #expect(await histories.calls == [])
    question.onAccept()
    await settle(page, shell)
    #expect(await histories.calls == ["undo"])
    #expect(shell.status.message.text == "The import of log is undone: 2 messages removed.")
    #expect(page.items.last?.value == "none")
    page.open()
    #expect(shell.status.message.text == "There is no import to undo.")
    #expect(asked.questions.count == 1)
  }

  @Test func `an import that came after the question is not undone without another one`()
    async throws
  {
    await histories.setNewest(batch("/mnt/log", rows: 2))
    let (page, shell) = await page()
    page.select("undo")
    page.open()
    await histories.setNewest(batch("/mnt/other", rows: 50, id: 2))
    shell.handle(.historyImported([.bob]))
    await settle(page, shell)
    try #require(asked.questions.first).onAccept()
    #expect(asked.questions.map { $0.arguments["path"] } == ["/mnt/log", "/mnt/other"])
    asked.questions[1].onAccept()
    await settle(page, shell)
    #expect(await histories.calls == ["undo"])
  }

  @Test func `an import that cannot be read is not none`() async {
    await histories.failNewest(
      with: NatterError(.storage, "error.historyFile.noUndo"))
    let (page, shell) = await page()
    #expect(page.items.last?.value == "not readable")
    page.select("undo")
    page.open()
    #expect(shell.status.message.level == .error && asked.questions.isEmpty)
  }

  @Test func `another file is typed among the chats`() async {
    let (page, shell) = await page()
    var demands = 0
    shell.onDemand = { demands += 1 }
    page.select("other")
    page.open()
    #expect(shell.input.text == "/import " && demands == 1)
  }

  @Test func `a hostile path does nothing to the terminal, and stays what it is`() async throws {
    let path = "/mnt/a\u{1B}[2J\nb"
    await histories.add(path, format: "psi", HistoryContent(messages: 1))
    await histories.setNewest(batch(path, rows: 2))
    let (page, shell) = await page()
    page.open()
    let question = try #require(asked.questions.first)
    question.onAccept()
    await settle(page, shell)
    #expect(await histories.calls == ["import \(path)"])
    page.select("undo")
    let shown =
      page.items.flatMap { [$0.title, $0.value, $0.note] } + page.help
      + Array(question.arguments.values) + [shell.status.message.text]
    #expect(shown.contains("psi: /mnt/a [2J b"))
    for text in shown {
      #expect(
        !text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
    }
  }

  @Test func `without imports there is no page`() async {
    let (_, shell) = await page()
    #expect(ImportViewModel.isOffered(in: shell))
    #expect(!ImportViewModel.isOffered(in: ShellViewModel(FakePorts())))
  }
}
