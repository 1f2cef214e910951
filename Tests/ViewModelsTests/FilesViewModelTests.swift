import ChatsFixtures
import Foundation
import Keys
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct FilesViewModelTests {
  final class Notes {
    var done: [String] = []
    var forms: [FormViewModel] = []
    var questions: [ConfirmRequest] = []
  }

  func transfer(
    _ id: Int64, _ name: String, _ state: FileTransfer.TransferStatus = .running,
    isUpload: Bool = true,
    of message: Int64? = nil, progress: Int = 0
  ) -> FileTransfer {
    var transfer = FileTransfer(
      id: .init(id), direction: isUpload ? .upload : .download, conversation: .bob,
      path: "/tmp/\(name)", name: name, byteCount: 1000, message: message.map { .init($0) },
      state: state, begun: .afternoon)
    transfer.progress = progress
    return transfer
  }

  @Test func `the changing parts of a file's row keep their columns`() {
    var moving = transfer(1, "a.bin")
    moving.progress = 30
    let format = testFormat()
    func line(_ progress: Int, _ rate: Int) -> String {
      (moving.progress, moving.rate) = (progress, rate)
      return format.progress(of: moving)
    }
    let lines = [
      line(10, 0), line(90, 999), line(420, 1200), line(500, 31_000_000), line(990, 999_000),
      line(1000, 5),
    ]
    #expect(lines[0] == "[          ]  1 %     0 B/s  -:--")
    #expect(lines[2] == "[====      ] 42 %  1.2 kB/s  0:00")
    #expect(lines[5] == "[==========]100 %     5 B/s  0:00")
    #expect(Set(lines.map(\.count)) == [33])
    var unreported = moving
    unreported = FileTransfer(
      id: .init(2), direction: .download, conversation: .bob, path: "/tmp/b", name: "b",
      byteCount: nil, message: nil, state: .running, begun: .afternoon)
    let sizes = [5, 999, 1200, 31_000_000].map { size in
      (unreported.progress, unreported.rate) = (size, size)
      return format.progress(of: unreported).count
    }
    #expect(Set(sizes).count == 1)
  }

  func shell(
    _ files: FakeFiles, _ notes: Notes = Notes(), messages: [Message] = [message(1, "hi")]
  ) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.request = { notes.done.append("\($0) \($1["jid"] ?? "") \($1["message"] ?? "-")") }
    actions.choose = { request in
      notes.done.append("choose " + request.labels.joined(separator: ", "))
      request.onEnd(request.labels.count - 1)
    }
    actions.showForm = { form in
      notes.forms.append(form)
      return {}
    }
    actions.confirm = { notes.questions.append($0) }
    let shell = ShellViewModel(
      FakePorts(
        messages: messages,
        conversations: [
          Conversation(jid: .bob, lastActivity: .minutes(1)),
          Conversation(jid: .chloe, lastActivity: .minutes(0)),
        ],
        contacts: [
          Contact(jid: .bob, name: "Bob", subscription: .both),
          Contact(jid: .chloe, name: "Chloe", subscription: .both),
        ]), actions: actions, files: .on(files) { notes.done.append("open \($0)") })
    await shell.load()
    return shell
  }

  func model(_ shell: ShellViewModel) async -> FilesViewModel {
    let model = FilesViewModel(shell: shell)
    await show(model)
    return model
  }

  func show(_ model: FilesViewModel) async {
    for _ in 0..<3 {
      model.readNews()
      _ = model.items
      await model.shell.finish()
    }
  }

  let three = [
    file(1, "rose.png", type: "image/png", size: 700_000, at: -3000, path: "/down/rose.png"),
    file(2, "notes.pdf", from: .alice, size: 300, at: -60),
    file(3, "talk.mp4", from: .chloe, in: .chloe, at: 0),
  ].compactMap { $0 }

  @Test func `a file is gone to, far beyond what is loaded, with those around it`() async throws {
    let many = (1...450).compactMap { file(Int64($0), "f\($0).txt", at: Double($0)) }
    let model = await model(await shell(FakeFiles(many), messages: many.map(\.message)))
    model.beginSearch()
    model.typeSearch("nothing")
    await show(model)
    model.reveal(.init(120))
    await show(model)
    #expect(model.search == nil && model.selection == .file(.init(120)))
    let names = model.items.map(\.name)
    let position = try #require(names.firstIndex(of: "f120.txt"))
    #expect(names[position - 1] == "f121.txt" && names[position + 1] == "f119.txt")
    // Both ends are reached from there.
    model.moveSelection(.min)
    await show(model)
    #expect(model.items.first?.name == "f450.txt")
    model.reveal(.init(449))
    #expect(model.selection == .file(.init(449)))
    // One that is not there changes nothing.
    model.reveal(.init(9999))
    await show(model)
    #expect(model.selection == .file(.init(449)))
  }

  @Test func `files come the newest first, with their day, size and where they are`() async {
    let model = await model(await shell(FakeFiles(three)))
    #expect(model.items.map(\.name) == ["talk.mp4", "notes.pdf", "rose.png"])
    #expect(model.items.map(\.glyph) == ["v", "^", "v"])
    #expect(model.items.map(\.conversation) == ["Chloe", "Bob", "Bob"])
    #expect(model.items.map(\.date) == ["14:00", "13:00", "18 November"])
    #expect(model.items.map(\.size) == ["", "300 B", "700 kB"])
    #expect(model.items.map(\.state) == ["on server", "sent", "saved"])
    #expect(model.count == "3 files, 700 kB")
    #expect(model.selection == .file(.init(3)))
    model.moveSelection(.max)
    #expect(
      model.details == [
        "rose.png, picture, 700 kB", "from Bob, Wednesday 18 November 12:00", "/down/rose.png",
      ])
  }

  @Test func `each filter narrows the list, conversations too`() async {
    let model = await model(await shell(FakeFiles(three, moving: [transfer(7, "up.bin")])))
    #expect(
      model.filters.items.map(\.title) == [
        "All files", "On their way", "Last seven days", "Last thirty days", "Sent", "Received",
        "Pictures", "Audio and video",
        "Documents", "Chloe", "Bob",
      ])
    func names(_ page: String) async -> [String] {
      model.show(page)
      await show(model)
      return model.items.filter(\.isSelectable).map(\.name)
    }
    #expect(await names("running") == ["up.bin"])
    #expect(model.count == "")
    #expect(await names("sent") == ["up.bin", "notes.pdf"])
    #expect(await names("received") == ["talk.mp4", "rose.png"])
    #expect(await names("pictures") == ["rose.png"])
    #expect(await names("media") == ["talk.mp4"])
    #expect(await names("documents") == ["up.bin", "notes.pdf"])
    #expect(await names("chloe@example.net") == ["talk.mp4"])
    #expect(await names("all") == ["up.bin", "talk.mp4", "notes.pdf", "rose.png"])
    #expect(model.items.map(\.id).contains(.heading("files.history")))
  }

  @Test func `the page of a conversation without files any more is empty`() async {
    let files = FakeFiles(three)
    let model = await model(await shell(files))
    model.show("chloe@example.net")
    await show(model)
    #expect(model.items.map(\.name) == ["talk.mp4"])
    await files.remove(.init(3))
    model.shell.handle(.messagesRemoved(conversation: .chloe, [.init(3)]))
    await show(model)
    #expect(model.page == "chloe@example.net")
    #expect(model.items.map(\.name) == ["No files exchanged with Chloe."])
    model.show("all")
    await show(model)
    #expect(model.filters.items.map(\.title).suffix(2) == ["Documents", "Bob"])
    #expect(model.items.map(\.name) == ["notes.pdf", "rose.png"])
  }

  @Test func `the last days begin at midnight, and today is one of them`() async {
    let days = [0, 6, 7, 29, 30]
    // An hour after midnight.
    let files = days.enumerated().compactMap { index, day in
      file(Int64(index), "\(day).txt", at: Double(-day * 1440 - 13 * 60))
    }
    let model = await model(await shell(FakeFiles(files)))
    func names(_ page: String) async -> [String] {
      model.show(page)
      await show(model)
      return model.items.filter(\.isSelectable).map(\.name)
    }
    #expect(await names("week") == ["0.txt", "6.txt"])
    #expect(model.count == "2 files")
    #expect(await names("month") == ["0.txt", "6.txt", "7.txt", "29.txt"])
    #expect(await names("all") == days.map { "\($0).txt" })
  }

  @Test func `what is looked for narrows it as it is typed, and Esc shows all again`() async {
    let model = await model(await shell(FakeFiles(three)))
    model.beginSearch()
    model.typeSearch("ROS")
    await show(model)
    #expect(model.items.map(\.name) == ["rose.png"])
    model.typeSearch("X")
    await show(model)
    #expect(model.items.map(\.id) == [.hint])
    #expect(model.endSearch())
    await show(model)
    #expect(model.items.count == 3)
    #expect(!model.endSearch())
  }

  @Test func `progress moves a row and the tab shows how many are on their way`() async {
    let shell = await shell(FakeFiles(three, moving: [transfer(7, "up.bin", .waiting)]))
    let model = await model(shell)
    func badge() -> String { shell.tabBar.items.first { $0.id == .files }?.badge ?? "-" }
    shell.tabBar.show([.chats, SubAppTab(.files, position: 4)], active: .chats)
    shell.handle(.transfersChanged([transfer(7, "up.bin", progress: 420)]))
    #expect(badge() == "1")
    let row = model.items.first { $0.id == .transfer(.init(7)) }
    #expect(row?.progress == "[====      ] 42 %     0 B/s  -:--" && row?.state == "42 %")
    shell.handle(
      .transfersChanged([
        transfer(8, "b", .paused), transfer(7, "up.bin", .paused, progress: 420),
      ]))
    #expect(badge() == "")
    #expect(
      model.items.first { $0.id == .transfer(.init(7)) }?.progress == "[====      ] 42 %  paused")
    shell.handle(
      .transfersChanged([
        transfer(7, "up.bin", .failed(NatterError(.refused, "error.files.noService")))
      ]))
    let failed = model.items.first { $0.id == .transfer(.init(7)) }
    #expect(failed?.glyph == "!" && failed?.hasFailed == true)
    #expect(failed?.progress == "The server does not accept files.")
    shell.handle(.transfersRemoved([.init(7), .init(8)]))
    #expect(model.items.count == 3)
  }

  @Test func `what comes while the list is shown is in it, and a fetched file is there`() async {
    let files = FakeFiles(three)
    let shell = await shell(files)
    let model = await model(shell)
    guard let new = file(9, "new.txt", at: 5) else { return }
    await files.add(new)
    shell.handle(.messagesStored([new.message]))
    await show(model)
    #expect(model.items.first?.name == "new.txt")
    // What was selected stays so.
    #expect(model.selection == .file(.init(3)))
    shell.handle(.transfersChanged([transfer(4, "new.txt", isUpload: false, of: 9, progress: 10)]))
    #expect(model.items.first { $0.id == .file(.init(9)) }?.state == "1 %")
    shell.handle(.transfersChanged([transfer(4, "new.txt", .done, isUpload: false, of: 9)]))
    #expect(model.items.first { $0.id == .file(.init(9)) }?.state == "saved")
    shell.handle(.messagesRemoved(conversation: .bob, [.init(9)]))
    #expect(!model.items.contains { $0.id == .file(.init(9)) })
  }

  @Test func `a card shows the size of a picture, and of a file whose size was found only here`() {
    let format = testFormat()
    func card(_ file: SharedFile) -> String { format.card(of: file, caption: "") }
    #expect(
      card(
        SharedFile(
          address: "https://a/rose.png", mediaType: "image/png", byteCount: 12_000, width: 640,
          height: 480)) == "| rose.png\n| picture, 12 kB, 640x480")
    #expect(
      card(SharedFile(address: "https://a/rose.bin", foundByteCount: 2_000_000))
        == "| rose.bin\n| 2.0 MB")
  }

  @Test func `of ten thousand only some are in memory, and the ends are reached at once`() async {
    let many = (1...10_000).compactMap { file(Int64($0), "f\($0)", at: Double($0)) }
    let files = FakeFiles(many)
    let model = await model(await shell(files))
    #expect(model.count == "10000 files")
    #expect(model.items.count == 100 && model.items.first?.name == "f10000")
    for _ in 0..<700 {
      model.moveSelection(1)
      await show(model)
    }
    #expect(model.selection == .file(.init(9300)))
    #expect(model.items.count == 400)
    model.moveSelection(.max)
    await show(model)
    #expect(model.selection == .file(.init(1)))
    for _ in 0..<60 {
      model.moveSelection(-10)
      await show(model)
    }
    #expect(model.selection == .file(.init(601)))
    model.moveSelection(.min)
    await show(model)
    #expect(model.selection == .file(.init(10_000)))
    #expect(await files.reads.max() == 100)
  }

  @Test func `without files there is a sentence, and without a service too`() async {
    let model = await model(await shell(FakeFiles()))
    #expect(model.items.map(\.id) == [.hint])
    #expect(model.items.first?.name == "No files yet. In a chat: /upload")
    model.open()
    model.forward()
    model.showInChat()
    model.moveSelection(1)
    // It says of which kind there are none.
    let kinds = [
      "week": "No files of the last seven days.", "month": "No files of the last thirty days.",
      "sent": "No files that you sent. In a chat: /upload",
      "received": "No files that you received.", "pictures": "No pictures.",
      "media": "No audio or video.", "documents": "No documents.",
      "running": "No files are on their way.",
    ]
    for (kind, text) in kinds {
      model.show(kind)
      await show(model)
      #expect(model.items.map(\.name) == [text])
    }
    for page in model.filters.items.map(\.id) {
      model.show(page)
      await show(model)
      #expect(model.items.first?.name.hasPrefix("files.") == false, "\(page)")
    }
    let shell = ShellViewModel(FakePorts())
    let none = FilesViewModel(shell: shell)
    none.readNews()
    #expect(none.items.first?.name == "Files cannot be sent here.")
  }
}
