import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// `/undo`: what was done last to the list of conversations is taken back, whenever that is.
@Suite struct UndoTests {
  private let ports = FakePorts(
    conversations: [
      Conversation(jid: .bob, lastActivity: .minutes(1)),
      Conversation(jid: .chloe, lastActivity: .afternoon),
      Conversation(jid: .zhang, lastActivity: .afternoon),
    ], contacts: [Contact(jid: .bob, name: "Bob Martin")], now: .minutes(3))

  private func shell() async -> ShellViewModel {
    let shell = ShellViewModel(ports)
    await shell.load()
    await shell.finish()
    return shell
  }

  private func run(_ command: String, in shell: ShellViewModel) async {
    shell.type(command)
    shell.submit()
    await shell.finish()
  }

  @Test func `a conversation that was hidden is back where it was, open, with its draft`() async {
    let shell = await shell()
    shell.open(.bob)
    await shell.finish()
    let numbers = shell.sidebar.numbers
    shell.type("half a tho")
    shell.close(.bob)
    await shell.finish()
    #expect(shell.activeConversation != .bob && shell.sidebar.conversation(.bob) == nil)
    await run("/undo", in: shell)
    #expect(shell.activeConversation == .bob && shell.sidebar.numbers == numbers)
    #expect(shell.input.text == "half a tho")
    #expect(shell.status.message.text == "Bob Martin is in the list again.")
    // Once is all.
    await run("/undo", in: shell)
    #expect(shell.status.message.text == "Nothing to undo.")
  }

  @Test func `one that was pinned comes back pinned, with its number`() async {
    let shell = await shell()
    shell.open(.chloe)
    await shell.finish()
    await run("/pin", in: shell)
    await run("/number 7", in: shell)
    shell.close(.chloe)
    await shell.finish()
    await run("/undo", in: shell)
    #expect(shell.sidebar.isPinned(.chloe) && shell.sidebar.numbers[.chloe] == 7)
  }

  @Test func `pinning and moving are taken back`() async {
    let shell = await shell()
    shell.open(.bob)
    await shell.finish()
    await run("/pin", in: shell)
    #expect(shell.sidebar.isPinned(.bob))
    await run("/undo", in: shell)
    #expect(!shell.sidebar.isPinned(.bob))
    let numbers = shell.sidebar.numbers
    await run("/number 2", in: shell)
    #expect(shell.sidebar.numbers != numbers)
    await run("/undo", in: shell)
    #expect(shell.sidebar.numbers == numbers)
    shell.moveConversation(by: 1)
    #expect(shell.sidebar.numbers != numbers)
    await run("/undo", in: shell)
    #expect(shell.sidebar.numbers == numbers)
  }

  @Test func `what could not be hidden is nothing to take back`() async {
    let shell = await shell()
    await ports.fail("hide", with: NatterError(.storage, "error.storage", ["detail": "full"]))
    shell.close(.bob)
    await shell.finish()
    await run("/undo", in: shell)
    #expect(shell.sidebar.conversation(.bob) != nil)
    #expect(shell.status.message.text == "Nothing to undo.")
  }

  @Test func `a pin is reported once it is stored, and is as before if that fails`() async throws {
    let shell = await shell()
    shell.open(.bob)
    await shell.finish()
    let before = shell.status.message.text
    shell.togglePin()
    #expect(shell.status.message.text == before)
    await shell.finish()
    #expect(shell.status.message.text != before)
    #expect(await ports.preferences[PreferenceKey.order]?.contains("* bob@example.net") == true)
    let numbers = shell.sidebar.numbers
    await ports.fail("setValue", with: NatterError(.storage, "error.storage.full"))
    shell.togglePin()
    await shell.finish()
    #expect(shell.sidebar.isPinned(.bob) && shell.status.message.level == .error)
    await run("/number 3", in: shell)
    #expect(shell.sidebar.numbers == numbers && shell.status.message.level == .error)
    await #expect(throws: NatterError.self) {
      try await shell.arrangements.setPinned(true, of: .chloe)
    }
    #expect(!shell.sidebar.isPinned(.chloe))
    await ports.fail("setValue", with: nil)
    #expect(try await shell.arrangements.setPinned(true, of: .chloe))
    #expect(await ports.preferences[PreferenceKey.order]?.contains("* chloe@example.net") == true)
    #expect(try await shell.arrangements.setPinned(true, of: .alice) == false)
  }

  @Test func `a number is reported also if something else could not be stored before`() async {
    let shell = await shell()
    shell.open(.bob)
    await shell.finish()
    await run("/number 3", in: shell)
    await ports.fail("setValue", with: NatterError(.storage, "error.storage.full"))
    await #expect(throws: NatterError.self) {
      try await shell.arrangements.setPinned(true, of: .chloe)
    }
    await ports.fail("setValue", with: nil)
    await run("/number 3", in: shell)
    #expect(shell.status.message.text == "Bob Martin has the number 3 now.")
  }
}
