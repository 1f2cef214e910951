import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct FilesViewModelTests {
  private final class Notes {
    var done: [String] = []
    var forms: [FormViewModel] = []
    var questions: [ConfirmRequest] = []
  }

  private func transfer(
    _ id: Int64, _ name: String, _ state: FileTransfer.State = .running, isUpload: Bool = true,
    of message: Int64? = nil, progress: Int = 0
  ) -> FileTransfer {
    var transfer = FileTransfer(
      id: .init(id), direction: isUpload ? .upload : .download, conversation: .bob,
      path: "/tmp/\(name)", name: name, byteCount: 1000, message: message.map { .init($0) },
      state: state, begun: .afternoon)
    transfer.progress = progress
    return transfer
  }

  @Test func `what changes while a file moves keeps its place`() {
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
    var untold = moving
    untold = FileTransfer(
      id: .init(2), direction: .download, conversation: .bob, path: "/tmp/b", name: "b",
      byteCount: nil, message: nil, state: .running, begun: .afternoon)
    let sizes = [5, 999, 1200, 31_000_000].map { size in
      (untold.progress, untold.rate) = (size, size)
      return format.progress(of: untold).count
    }
    #expect(Set(sizes).count == 1)
  }

  private func shell(
    _ files: FakeFiles, _ notes: Notes = Notes(), messages: [Message] = [message(1, "hi")]
  ) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.request = { notes.done.append("\($0) \($1["jid"] ?? "") \($1["message"] ?? "-")") }
    actions.choose = { request in
      notes.done.append("choose " + request.words.joined(separator: ", "))
      request.onEnd(request.words.count - 1)
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

  private func model(_ shell: ShellViewModel) async -> FilesViewModel {
    let model = FilesViewModel(shell: shell)
    await show(model)
    return model
  }

  private func show(_ model: FilesViewModel) async {
    for _ in 0..<3 {
      model.readNews()
      _ = model.items
      await model.shell.finish()
    }
  }

  private let three = [
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
    let place = try #require(names.firstIndex(of: "f120.txt"))
    #expect(names[place - 1] == "f121.txt" && names[place + 1] == "f119.txt")
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
    #expect(model.items.map(\.sign) == ["v", "^", "v"])
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
        "Pictures", "Sound and film",
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

  @Test func `progress moves a row and the tab tells how many are on their way`() async {
    let shell = await shell(FakeFiles(three, moving: [transfer(7, "up.bin", .waiting)]))
    let model = await model(shell)
    func badge() -> String { shell.tabBar.items.first { $0.id == .files }?.badge ?? "-" }
    shell.tabBar.show([.chats, SubAppTab(.files, place: 4)], active: .chats)
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
    #expect(failed?.sign == "!" && failed?.hasFailed == true)
    #expect(failed?.progress == "The server takes no files.")
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

  @Test func `Enter opens, s asks for a place, f for a conversation, c goes to the message`()
    async throws
  {
    let (files, notes) = (FakeFiles(three), Notes())
    let shell = await shell(files, notes)
    let model = await model(shell)
    model.open()
    await shell.finish()
    #expect(await files.calls == ["fetch 3 -"])
    // It is opened when it is here.
    shell.handle(.transfersChanged([transfer(103, "talk.mp4", .done, isUpload: false, of: 3)]))
    #expect(notes.done == ["open /tmp/talk.mp4"])
    model.moveSelection(.max)
    model.open()
    await shell.finish()
    #expect(notes.done.last == "open /down/rose.png")
    model.saveAs()
    let form = try #require(notes.forms.first)
    #expect(form.text(of: "path") == "/home/alice/Downloads/rose.png")
    form.press("submit")
    await shell.finish()
    #expect(await files.calls.last == "fetch 1 /home/alice/Downloads/rose.png")
    model.forward()
    await shell.finish()
    #expect(notes.done.last == "choose Chloe")
    #expect(await files.calls.last == "forward 1 chloe@example.net")
    #expect(shell.status.message.text.contains("rose.png is sent to Chloe."))
    model.showInChat()
    #expect(notes.done.last == "chats/reveal bob@example.net 1")
  }

  @Test func `what is on its way is held, goes on, is tried again, and dropped after a question`()
    async throws
  {
    let failure = FileTransfer.State.failed(NatterError(.refused, "error.files.noService"))
    let files = FakeFiles(moving: [
      transfer(1, "a"), transfer(2, "b", .paused), transfer(3, "c", failure),
      transfer(4, "d", isUpload: false, of: 8),
    ])
    let notes = Notes()
    let shell = await shell(files, notes)
    let model = await model(shell)
    model.pause()
    model.moveSelection(1)
    model.pause()
    model.open()
    model.moveSelection(1)
    model.pause()
    model.open()
    await shell.finish()
    #expect(await files.calls == ["pause 1", "resume 2", "resume 2", "retry 3"])
    model.remove()
    #expect(await files.calls.count == 4)
    try #require(notes.questions.first).onAccept()
    await shell.finish()
    #expect(await files.calls.last == "cancel 3")
    model.moveSelection(1)
    model.open()
    #expect(shell.opening == [.init(4)])
    model.showInChat()
    #expect(notes.done.last == "chats/reveal bob@example.net 8")
    model.saveAs()
    model.forward()
    #expect(notes.forms.isEmpty)
  }

  @Test func `what keys cannot do to the selected row is said`() async {
    let failure = FileTransfer.State.failed(NatterError(.refused, "error.files.noService"))
    let files = FakeFiles(three, moving: [transfer(1, "a"), transfer(2, "b", failure)])
    let notes = Notes()
    let shell = await shell(files, notes)
    let model = await model(shell)
    #expect(model.standing == .moving(isDownload: false))
    func says(_ text: String) -> Bool {
      defer { shell.status.clear() }
      return shell.status.message.text.contains(text)
    }
    for act in [model.open, model.saveAs, model.forward] {
      act()
      #expect(says("a is still on its way."))
    }
    model.select(.transfer(.init(2)))
    #expect(model.standing == .failed)
    model.pause()
    #expect(says("b is not on its way"))
    model.select(.file(.init(1)))
    #expect(model.standing == .file(isHere: true, isPicture: true))
    model.pause()
    #expect(says("rose.png is not on its way"))
    model.remove()
    #expect(says("rose.png belongs to its message"))
    model.select(.file(.init(3)))
    #expect(model.standing == .file(isHere: false, isPicture: false))
    await shell.finish()
    #expect(await files.calls == [] && notes.questions.isEmpty)
  }

  @Test func `what was selected while it was on its way is selected once it is there`() async {
    var upload = transfer(7, "up.bin")
    upload.originID = "o9"
    let files = FakeFiles(three, moving: [transfer(6, "other"), upload, transfer(8, "last")])
    let shell = await shell(files)
    let model = await model(shell)
    model.select(.transfer(upload.id))
    // Its message is there a moment before or after it is done: here it is read after.
    upload.state = .done
    shell.handle(.transfersChanged([upload]))
    await show(model)
    #expect(model.selection == .transfer(.init(8)))
    guard let sent = file(9, "up.bin", from: .alice, at: 5) else { return }
    await files.add(sent)
    shell.handle(.messagesStored([sent.message]))
    await show(model)
    #expect(model.selection == .file(.init(9)))
    // One who has gone elsewhere stays there.
    var second = transfer(10, "two.bin")
    second.originID = "o11"
    shell.handle(.transfersChanged([second]))
    model.select(.transfer(second.id))
    second.state = .done
    shell.handle(.transfersChanged([second]))
    await show(model)
    model.select(.file(.init(1)))
    if let sent = file(11, "two.bin", from: .alice, at: 6) {
      await files.add(sent)
      shell.handle(.messagesStored([sent.message]))
    }
    await show(model)
    #expect(model.selection == .file(.init(1)))
    // A download is in the list already.
    var download = transfer(12, "talk.mp4", isUpload: false, of: 3)
    shell.handle(.transfersChanged([download]))
    await show(model)
    model.select(.transfer(download.id))
    download.state = .done
    shell.handle(.transfersChanged([download]))
    await show(model)
    #expect(model.selection == .file(.init(3)))
  }

  @Test func `files are chosen from here and sent to whom one says, the open chat first`() async {
    let files = FakeFiles(three)
    var pickers: [FilePickerViewModel] = []
    var choices: [ChoiceRequest] = []
    var actions = ShellActions.forTests()
    actions.showPicker = { picker in
      pickers.append(picker)
      return {}
    }
    actions.choose = { choices.append($0) }
    let shell = ShellViewModel(
      FakePorts(
        conversations: [
          Conversation(jid: .bob, lastActivity: .minutes(1)),
          Conversation(jid: .chloe, lastActivity: .minutes(0)),
        ],
        contacts: [
          Contact(jid: .bob, name: "Bob", subscription: .both),
          Contact(jid: .chloe, name: "Chloe", subscription: .both),
        ]), actions: actions, files: .on(files, looking: FakeDisk.home()))
    await shell.load()
    shell.open(.chloe)
    await shell.finish()
    let model = await model(shell)
    model.upload()
    #expect(pickers.last?.title == "Choose files to send")
    await shell.finish()
    pickers.last?.moveSelection(3)
    pickers.last?.open()
    #expect(choices.last?.title == "Send notes.txt to")
    #expect(choices.last?.words == ["Chloe", "Bob"])
    choices.last?.onEnd(nil)
    await shell.finish()
    #expect(await files.calls == [])
    choices.last?.onEnd(1)
    await shell.finish()
    #expect(await files.calls == ["share /home/alice/notes.txt bob@example.net"])
    // To the conversation that is chosen here nobody has to be asked.
    model.show(JID.bob.description)
    await shell.finish()
    model.upload()
    #expect(pickers.last?.title.contains("Bob") == true)
    await shell.finish()
    pickers.last?.moveSelection(3)
    pickers.last?.open()
    await shell.finish()
    #expect(choices.count == 1)
    #expect(await files.calls.count == 2)
    model.show("all")
    await shell.finish()
    // Several at once; and none at all.
    model.upload()
    await shell.finish()
    pickers.last?.moveSelection(2)
    for _ in 0..<2 { pickers.last?.toggleMark() }
    pickers.last?.open()
    #expect(choices.last?.title == "Send 2 files to")
    model.upload()
    pickers.last?.cancel()
    #expect(choices.count == 2)
  }

  @Test func `a card tells the size of a picture, and of a file whose size was found only here`() {
    let format = testFormat()
    func card(_ file: SharedFile) -> String { format.card(of: file, words: "") }
    #expect(
      card(
        SharedFile(
          address: "https://a/rose.png", mediaType: "image/png", byteCount: 12_000, width: 640,
          height: 480)) == "| rose.png\n| picture, 12 kB, 640x480")
    #expect(
      card(SharedFile(address: "https://a/rose.bin", foundByteCount: 2_000_000))
        == "| rose.bin\n| 2.0 MB")
  }

  @Test func `cancel drops what failed and leaves what is on its way`() async {
    let failed = FileTransfer.State.failed(NatterError(.offline, "error.http.broken"))
    let files = FakeFiles(
      [], moving: [transfer(1, "a"), transfer(2, "b", failed, isUpload: false), transfer(3, "c")])
    let notes = Notes()
    let shell = await shell(files, notes)
    shell.cancelFailed()
    await shell.finish()
    #expect(await files.calls == ["cancel 2"])
    #expect(notes.questions.isEmpty)
  }

  @Test(arguments: [1, 2])
  func `where nothing failed cancel asks before it drops what is on its way`(count: Int64)
    async throws
  {
    let files = FakeFiles(
      [], moving: (1...count).map { transfer($0, "up\($0).bin", $0 == 2 ? .paused : .running) })
    let notes = Notes()
    let shell = await shell(files, notes)
    shell.cancelFailed()
    await shell.finish()
    #expect(await files.calls.isEmpty)
    let question = try #require(notes.questions.first)
    #expect(question.textKey == (count == 1 ? "confirm.cancelTransfer" : "confirm.cancelTransfers"))
    #expect(question.arguments == (count == 1 ? ["name": "up1.bin"] : ["count": "2"]))
    question.onAccept()
    await shell.finish()
    #expect(await files.calls == (1...count).map { "cancel \($0)" })
  }

  @Test func `cancel beside a failed message asks nothing and leaves files alone`() async {
    let files = FakeFiles([], moving: [transfer(1, "a")])
    let notes = Notes()
    let shell = await shell(
      files, notes,
      messages: [message(2, "lost", from: .alice, at: 1, delivery: .failed(reason: "gone"))])
    await shell.finish()
    #expect(shell.timeline.failedMessages.count == 1)
    shell.cancelFailed()
    await shell.finish()
    #expect(await files.calls.isEmpty)
    #expect(notes.questions.isEmpty)
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
    #expect(model.items.first?.name == "No files yet. /upload sends one.")
    model.open()
    model.forward()
    model.showInChat()
    model.moveSelection(1)
    // It says of which kind there are none.
    let kinds = [
      "week": "No files of the last seven days.", "month": "No files of the last thirty days.",
      "sent": "No files that you sent. /upload sends one.",
      "received": "No files that somebody sent you.", "pictures": "No pictures.",
      "media": "No sound and no films.", "documents": "No documents.",
      "running": "Nothing is on its way.",
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

  @Test func `the typed commands do the same with the files of the conversation`() async {
    let (files, notes) = (FakeFiles(three), Notes())
    let shell = await shell(files, notes)
    func run(_ line: String) async {
      shell.type(line)
      shell.submit()
      await shell.finish()
    }
    #expect(shell.activeConversation == .bob)
    await run("/forward chloe@example.net")
    #expect(await files.calls.last == "forward 2 chloe@example.net")
    await run("/forward 2 Chloe")
    #expect(await files.calls.last == "forward 1 chloe@example.net")
    await run("/forward 2")
    #expect(notes.done.last == "choose Chloe")
    await run("/open 2")
    #expect(notes.done.last == "open /down/rose.png")
    await run("/forward 0")
    #expect(shell.status.message.text.contains("no number of a file"))
    await run("/forward 9")
    #expect(shell.status.message.text.contains("There is no such file"))
  }
}

@Suite struct RevealTests {
  private func shell(_ count: Int64) async -> ShellViewModel {
    let shell = ShellViewModel(
      FakePorts(
        messages: (1...count).map { message($0, "m\($0)", at: Double($0)) },
        conversations: [
          Conversation(jid: .bob, lastActivity: .minutes(Double(count))),
          Conversation(jid: .chloe),
        ]))
    await shell.load()
    await shell.finish()
    return shell
  }

  @Test func `a message far back is shown with those around it, and marked`() async throws {
    let shell = await shell(500)
    try Mediator.publishing(shell).open("natter://chats/reveal?jid=bob@example.net&message=100")
    await shell.finish()
    let timeline = shell.timeline
    #expect(timeline.anchor == .init(message: .init(100), line: 0))
    let shown = timeline.items.filter { $0.kind == .message }
    #expect(shown.first?.body == "m70" && shown.last?.body == "m160")
    #expect(shown.filter(\.isMarked).map(\.body) == ["m100"])
    // From there on, both ways.
    timeline.loadOlder()
    timeline.loadNewer()
    await shell.finish()
    timeline.loadNewer()
    await shell.finish()
    #expect(timeline.items.contains { $0.body == "m10" })
    timeline.jumpToNewest()
    await shell.finish()
    #expect(timeline.items.last?.body == "m500" && timeline.anchor == nil)
    #expect(timeline.items.allSatisfy { !$0.isMarked })
  }

  @Test func `what is loaded is only marked, and what is gone changes nothing`() async {
    let shell = await shell(20)
    shell.reveal(.init(5), in: .bob)
    await shell.finish()
    #expect(shell.timeline.items.first(where: \.isMarked)?.body == "m5")
    #expect(shell.timeline.items.contains { $0.body == "m20" })
    shell.reveal(.init(999), in: .bob)
    await shell.finish()
    #expect(shell.timeline.items.contains { $0.body == "m20" })
    shell.reveal(.init(5), in: .chloe)
    await shell.finish()
    #expect(shell.activeConversation == .chloe)
    #expect(!shell.timeline.items.contains { $0.body == "m5" })
  }

  @Test(arguments: ["jid=bob@example.net", "jid=x&message=1", "jid=bob@example.net&message=x"])
  func `an address that names no message is refused`(query: String) async {
    let shell = await shell(1)
    let mediator = Mediator.publishing(shell)
    #expect(throws: NatterError.self) { try mediator.open("natter://chats/reveal?\(query)") }
  }

}

extension Mediator {
  /// With what the shell publishes.
  fileprivate static func publishing(_ shell: ShellViewModel) -> Mediator {
    let mediator = Mediator()
    shell.publishActions(to: mediator)
    return mediator
  }
}
