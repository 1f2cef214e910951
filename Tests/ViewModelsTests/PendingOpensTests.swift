import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Input that is typed while a conversation opens is for that conversation.
@Suite struct PendingOpensTests {
  private let timers = ManualTimers()
  private let ports = FakePorts(
    conversations: [Conversation(jid: .bob, lastActivity: .minutes(1))], now: .afternoon)
  private final class Log { var changes: [PendingOpens.Change] = [] }
  private let log = Log()

  private func shell() async -> ShellViewModel {
    let shell = ShellViewModel(
      ports, timers: timers, now: ManualNow(.afternoon), actions: .forTests())
    await shell.load()
    await shell.lifetime.settle()
    shell.openings.onChange = { [log] in log.changes.append($0) }
    return shell
  }

  @Test func `keys wait from the request until the conversation is open`() async {
    let shell = await shell()
    shell.type("/chat new@x.org")
    shell.submit()
    // At once: the next key may be in the same breath.
    #expect(log.changes == [.waiting])
    #expect(shell.activeConversation == .bob)
    var openAtTheEnd: JID?
    shell.openings.onChange = { [log] in
      log.changes.append($0)
      openAtTheEnd = shell.activeConversation
    }
    await shell.lifetime.settle()
    #expect(log.changes == [.waiting, .open])
    #expect(openAtTheEnd == JID(local: "new", domain: "x.org"))
  }

  @Test func `what is open already, or known, needs no waiting`() async {
    let shell = await shell()
    shell.open(.bob)
    #expect(log.changes.isEmpty)
  }

  @Test func `a conversation that cannot be opened is reported as such`() async {
    let shell = await shell()
    await ports.fail("open", with: NatterError(.storage, "error.storage"))
    shell.type("/chat new@x.org")
    shell.submit()
    await shell.lifetime.settle()
    #expect(log.changes == [.waiting, .failed])
    #expect(shell.activeConversation == .bob)
  }

  /// A room that is found when it is said so.
  private func lookForTea(in shell: ShellViewModel) -> AsyncStream<Void>.Continuation {
    let (answers, answer) = AsyncStream<Void>.makeStream()
    let tea = Conversation(
      jid: JID(local: "tea", domain: "rooms.x.org"), kind: .room, name: "Tea")
    shell.opening("tea", limit: .seconds(3)) {
      for await _ in answers {}
      return tea
    }
    return answer
  }

  @Test func `a room that takes too long does not open under text for another user`() async {
    let shell = await shell()
    shell.open(.bob)
    let answer = lookForTea(in: shell)
    timers.fire()
    #expect(log.changes == [.waiting, .failed])
    #expect(shell.status.message.text.contains("Still looking for tea"))
    #expect(shell.status.message.text.contains(shell.people.name(of: .bob)))
    shell.type("hello b")
    answer.finish()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .bob && shell.input.text == "hello b")
    #expect(shell.status.message.text.contains("tea is in the list now"))
    #expect(shell.sidebar.order.contains(JID(local: "tea", domain: "rooms.x.org")))
  }

  @Test func `a room that takes too long opens where the user has not typed meanwhile`() async {
    let shell = await shell()
    shell.open(.bob)
    let answer = lookForTea(in: shell)
    timers.fire()
    answer.finish()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == JID(local: "tea", domain: "rooms.x.org"))
  }

  @Test func `for a server's word keys wait so long and no longer`() {
    let opens = PendingOpens(scheduler: timers.scheduler)
    opens.onChange = { [log] in log.changes.append($0) }
    let one = opens.begin()
    let other = opens.begin(limit: .seconds(3))
    #expect(timers.delays == [.seconds(3)])
    timers.fire()
    #expect(log.changes == [.waiting])
    opens.end(one)
    // Too late: what was typed for it has been given back.
    opens.end(other)
    #expect(log.changes == [.waiting, .failed])
  }
}
