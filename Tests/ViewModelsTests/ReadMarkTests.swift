import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Conversations that the user marks as read or unread.
@Suite struct ReadMarkTests {
  private let ports = FakePorts(
    conversations: [
      Conversation(jid: .bob, lastActivity: .afternoon), Conversation(jid: .chloe, unread: 2),
      Conversation(jid: .zhang, unread: 1),
    ], now: .afternoon)

  private func shell(_ actions: ShellActions = .forTests()) async -> ShellViewModel {
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  private func run(_ line: String, _ shell: ShellViewModel) async {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
  }

  @Test func `all conversations are marked as read, also those that are muted`() async {
    var store = NotificationStore()
    store.silenced = { [.zhang] }
    var actions = ShellActions.forTests()
    actions.notifications = ConversationNotifications(store)
    let shell = await shell(actions)
    await run("/read all", shell)
    #expect(await ports.stored.values.allSatisfy { $0.unread == 0 })
    #expect(shell.sidebar.totalUnread == 0)
    #expect(shell.sidebar.conversation(.zhang)?.unread == 0)
    #expect(shell.status.message.text == "All conversations are marked as read.")
    await run("/read all", shell)
    #expect(shell.status.message.text == "No unread messages.")
  }

  @Test func `conversations that could not be marked as read are named, and others are read`()
    async
  {
    let shell = await shell()
    await ports.fail("markRead", with: NatterError(.storage, "error.storage.full"))
    await run("/read all", shell)
    #expect(shell.sidebar.totalUnread == 3)
    let text = shell.status.message.text
    #expect(text.hasPrefix("Still unread: ") && text.contains("chloe") && text.contains("zhang"))
  }

  @Test func `one that cannot be marked as read keeps back none behind it`() async {
    let reading = PartialReading(refused: .chloe)
    let result = await ReadAll([.chloe, .zhang], reading)
    #expect(result.read.map(\.jid) == [.zhang])
    let notice = result.notice(testFormat().localizer) { $0.local ?? "" }
    #expect(notice.key == "status.notAllRead" && notice.arguments["names"] == "chloe")
    let all = await ReadAll([.zhang], reading)
    #expect(all.notice(testFormat().localizer) { _ in "" }.key == "status.allRead")
  }

  @Test func `a conversation that is marked as unread is left, and read when it is opened`() async {
    let shell = await shell()
    await run("/unread here", shell)
    #expect(shell.activeConversation == nil)
    #expect(shell.sidebar.conversation(.bob)?.unread == 1)
    #expect(shell.sidebar.totalUnread == 4)
    #expect(shell.status.message.text.hasSuffix(" is marked as unread."))
    shell.open(.bob)
    await shell.lifetime.settle()
    #expect(shell.sidebar.conversation(.bob)?.unread == 0)
  }

  @Test func `a conversation that is unread already is left as it is`() async throws {
    let shell = await shell()
    _ = try await ports.markUnread(.bob)
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    await run("/unread here", shell)
    #expect(shell.activeConversation == nil)
    #expect(shell.status.message.text.hasSuffix(" is marked as unread."))
  }

  @Test func `the next unread conversation is a step away, and other arguments are refused`() async
  {
    var done: [String] = []
    var actions = ShellActions.forTests()
    actions.perform = {
      done.append($0)
      return true
    }
    let shell = await shell(actions)
    await run("/unread", shell)
    #expect(done == ["nextUnread"])
    for line in ["/read some", "/unread there"] {
      await run(line, shell)
      #expect(shell.input.text == line)
      shell.type("")
    }
    #expect(await ports.stored[.chloe]?.unread == 2)
  }
}

/// Marks all conversations as read but one.
private struct PartialReading: ConversationReading {
  let refused: JID

  func markRead(_ jid: JID) throws -> Conversation? {
    guard jid != refused else { throw NatterError(.storage, "error.storage.full") }
    return Conversation(jid: jid)
  }
  func markUnread(_ jid: JID) -> Conversation? { nil }
}
