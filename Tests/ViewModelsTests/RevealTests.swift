import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

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

  @Test func `for a message that there is not no conversation is begun`() async throws {
    let shell = await shell(1)
    let erin = JID(local: "erin", domain: "example.net")
    let before = shell.activeConversation
    try Mediator.publishing(shell).open("natter://chats/reveal?jid=\(erin)&message=99")
    await shell.finish()
    #expect(shell.sidebar.conversation(erin) == nil && shell.activeConversation == before)
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
