import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Long texts: what of them is in memory is bounded, and all of one can be shown.
@Suite struct LongTextTests {
  static let long = String(repeating: "words ", count: 10_000) + "the end"

  private func shell(_ messages: [Message]) async -> ShellViewModel {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob, lastActivity: .minutes(4))])
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, relating: ports),
      format: testFormat(), scheduler: ManualTimers().scheduler, actions: .forTests())
    await shell.load()
    await shell.finish()
    return shell
  }

  private func bodies(_ shell: ShellViewModel) -> [Int] {
    shell.timeline.items.filter { $0.kind == .message }.map(\.body.count)
  }

  @Test func `the beginning is shown, and all of the one that is opened, until it is another`()
    async
  {
    let shell = await shell([message(1, Self.long), message(2, Self.long + "!", at: 1)])
    #expect(bodies(shell) == [Message.bodyLimit, Message.bodyLimit])
    let more = shell.timeline.items.filter { $0.kind == .message }.map(\.below.more)
    #expect(more.allSatisfy { $0.contains("Enter shows all of it") })
    shell.timeline.select(.init(1))
    shell.openMessage()
    await shell.finish()
    #expect(bodies(shell) == [Self.long.count, Message.bodyLimit])
    #expect(shell.timeline.items.first { $0.kind == .message }?.below.more == "")
    shell.timeline.select(.init(2))
    shell.openMessage()
    await shell.finish()
    #expect(bodies(shell) == [Message.bodyLimit, Self.long.count + 1])
    // News of it show what is shown.
    shell.timeline.select(nil)
    shell.timeline.handle(.messagesChanged([message(2, Self.long + "!", at: 1).shortened]))
    #expect(bodies(shell) == [Message.bodyLimit, Message.bodyLimit])
  }

  @Test func `an own long message is corrected as a whole`() async {
    let shell = await shell([message(1, Self.long, from: .alice, delivery: .sent)])
    shell.timeline.select(.init(1))
    shell.beginEdit()
    await shell.finish()
    #expect(shell.input.text == Self.long)
  }

  @Test(arguments: [nil, 150, 0] as [Int64?])
  func `of long texts fewer are in memory, those around what is read`(read: Int64?) {
    var window = TimelineWindow()
    let size = TimelineWindow.byteLimit / 100
    let text = String(repeating: "x", count: size)
    window.replace(
      with: (0..<300).map { message($0, text, at: Double($0)) }, hasOlder: false, hasNewer: false)
    window.trim(around: read.map { .init($0) })
    let bytes = window.messages.reduce(0) { $0 + $1.body.utf8.count }
    #expect(bytes <= TimelineWindow.byteLimit && window.messages.count >= 99)
    let ids = window.messages.map(\.id.rawValue)
    #expect(ids.contains(read ?? 299))
    #expect(window.hasOlder == (ids.first != 0) && window.hasNewer == (ids.last != 299))
    // A page stays whatever it has: who pages goes on.
    window.replace(
      with: (0..<100).map { message($0, text + text, at: Double($0)) }, hasOlder: false,
      hasNewer: false)
    window.trim(around: .init(0))
    #expect(window.messages.count == TimelineWindow.pageSize)
  }
}
