import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The effects of keys and typed commands on files.
extension FilesViewModelTests {
  @Test func `Enter opens, s asks where to save, f for a conversation, c goes to the message`()
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
    await shell.finish()
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
    #expect(shell.status.message.text.contains("rose.png is forwarded to Chloe."))
    model.showInChat()
    #expect(notes.done.last == "chats/reveal bob@example.net 1")
  }

  @Test func `what is on its way is held, goes on, is tried again, and dropped after a question`()
    async throws
  {
    let failure = FileTransfer.TransferStatus.failed(NatterError(.refused, "error.files.noService"))
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
    let failure = FileTransfer.TransferStatus.failed(NatterError(.refused, "error.files.noService"))
    let files = FakeFiles(three, moving: [transfer(1, "a"), transfer(2, "b", failure)])
    let notes = Notes()
    let shell = await shell(files, notes)
    let model = await model(shell)
    #expect(model.transferState == .moving(isDownload: false))
    func says(_ text: String) -> Bool {
      defer { shell.status.clear() }
      return shell.status.message.text.contains(text)
    }
    for act in [model.open, model.saveAs, model.forward] {
      act()
      #expect(says("a is still on its way."))
    }
    model.select(.transfer(.init(2)))
    #expect(model.transferState == .failed)
    model.pause()
    #expect(says("b is not on its way"))
    for act in [model.saveAs, model.forward] {
      act()
      #expect(says("The server does not accept files."))
    }
    model.select(.file(.init(1)))
    #expect(model.transferState == .file(isHere: true, isPicture: true))
    model.pause()
    #expect(says("rose.png is not on its way"))
    model.remove()
    #expect(says("rose.png is part of a message"))
    model.select(.file(.init(3)))
    #expect(model.transferState == .file(isHere: false, isPicture: false))
    await shell.finish()
    #expect(await files.calls == [] && notes.questions.isEmpty)
  }

  @Test func `a download without space names keys of the tab, and s saves it elsewhere`()
    async throws
  {
    let failure = FileTransfer.TransferStatus.failed(
      NatterError(
        .storage, "error.files.noRoom", ["size": "9000", "free": "1000", "folder": "/down"]))
    let moving = [transfer(7, "talk.mp4", failure, isUpload: false, of: 3)]
    let (files, notes) = (FakeFiles(three, moving: moving), Notes())
    let shell = await shell(files, notes)
    let model = await model(shell)
    let text =
      "The file is 9.0 kB, and 1.0 kB are free on the disk of /down. Free some space and press "
      + "Enter, or press s to save it elsewhere."
    #expect(model.items.first { $0.id == .transfer(.init(7)) }?.progress == text)
    model.select(.transfer(.init(7)))
    #expect(model.details.last == text)
    model.saveAs()
    let form = try #require(notes.forms.first)
    form.press("submit")
    await shell.finish()
    #expect(await files.calls.last == "fetch 3 /home/alice/Downloads/talk.mp4")
    // The chat, where a command can be typed, names it.
    #expect(shell.format.progress(of: moving[0]).contains("/save PATH in the chat. /retry"))
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
    #expect(choices.last?.labels == ["Chloe", "Bob"])
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

  @Test func `cancel drops what failed and leaves what is on its way`() async {
    let failed = FileTransfer.TransferStatus.failed(NatterError(.offline, "error.http.broken"))
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
    #expect(shell.status.message.text.contains("is not a file number"))
    await run("/forward 9")
    #expect(shell.status.message.text.contains("There is no such file"))
  }
}
