import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The errors of commands about files.
@Suite struct FileCommandTests {
  private func transfer(
    _ id: Int64, _ name: String, _ state: FileTransfer.TransferStatus = .running,
    originID: String? = nil,
    of message: Int64? = nil
  ) -> FileTransfer {
    FileTransfer(
      id: .init(id), direction: message == nil ? .upload : .download, conversation: .bob,
      path: "/tmp/\(name)", name: name, message: message.map { .init($0) }, originID: originID,
      state: state, begun: .afternoon)
  }

  private func shell(_ files: FakeFiles) async -> ShellViewModel {
    let shell = ShellViewModel(
      FakePorts(
        messages: [message(1, "hi")],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(1))],
        contacts: [Contact(jid: .bob, name: "Bob", subscription: .both)]), files: .on(files))
    await shell.load()
    return shell
  }

  @Test func `an invalid number is reported, and what was typed comes back`() async throws {
    let files = FakeFiles([file(3, "old.png", at: 0)].compactMap { $0 })
    let shell = await shell(files)
    shell.open(.bob)
    await shell.lifetime.settle()
    shell.type("/save 0 x")
    shell.submit()
    #expect(shell.input.text == "/save 0 x")
    #expect(shell.status.message.text.contains("\"0\" is not a file number"))
    for line in ["/save 9 ~/kept.png", "/open 9", "/where 9"] {
      shell.input.clear()
      shell.type(line)
      shell.submit()
      await shell.lifetime.settle()
      #expect(shell.input.text == line)
      #expect(shell.status.message.text == "There is no such file in this conversation.")
    }
    #expect(await files.calls.isEmpty)
  }

  @Test func `without transfers there is nothing to pause, as is said in the status line`() async {
    let shell = await shell(FakeFiles())
    shell.open(.bob)
    await shell.lifetime.settle()
    shell.type("/pause")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "No files are on their way here.")
    shell.type("/unread here")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == nil)
    shell.type("/pause")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "No files are on their way here.")
  }

  @Test func `a download that fails is reported with its name`() async {
    let shell = await shell(FakeFiles())
    let error = NatterError(.refused, "error.files.hash")
    shell.handle(.transfersChanged([transfer(2, "down.png", .failed(error), of: 4)]))
    #expect(shell.status.message.text.hasPrefix("down.png was not downloaded: "))
  }
}
