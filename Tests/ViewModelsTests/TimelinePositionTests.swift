import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Messages whose position is not that of their time.
@Suite struct TimelinePositionTests {
  private func placed(_ id: Int64, _ body: String, sent: Double, at minutes: Double) -> Message {
    Message(
      id: .init(id), conversation: .bob, sender: .alice, direction: .outgoing, body: body,
      sentAt: .minutes(sent), placedAt: .minutes(minutes), originID: "o\(id)", delivery: .sent)
  }

  private func shown(_ messages: [Message]) async -> [String] {
    let lifetime = Lifetime()
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: FakePorts(messages: messages), lifetime: lifetime,
      now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    return viewModel.items.map { item in
      item.kind == .day ? "- " + item.body : [item.time, item.body].joined(separator: " ")
    }
  }

  @Test func `a message typed without a connection has its time below what arrived meanwhile`()
    async
  {
    let messages = [
      message(1, "one", at: 5), placed(2, "typed", sent: 1, at: 6), message(3, "two", at: 9),
    ]
    #expect(
      await shown(messages)
        == ["- Friday 20 November", "14:05 one", "14:01 typed", "14:09 two"])
  }

  @Test func `a message that waited over midnight adds no line of the day before`() async {
    let messages = [
      message(1, "one", at: 5), placed(2, "typed", sent: -900, at: 6), message(3, "two", at: 9),
    ]
    #expect(
      await shown(messages)
        == ["- Friday 20 November", "14:05 one", "14:06 typed", "14:09 two"])
  }
}
