import Foundation
import NatterCore
import Testing
import XMPP

@testable import natter

/// The marks of missing messages in line mode.
@Suite struct PlainGapsTests {
  private static let bob = JID(local: "bob", domain: "natter.test")
  private static let carol = JID(local: "carol", domain: "natter.test")

  private func message(_ second: Double, in conversation: JID = bob) -> Message {
    Message(
      id: Message.ID(Int64(second)), conversation: conversation, sender: conversation,
      direction: .incoming, body: "", sentAt: Date(timeIntervalSince1970: second), originID: nil)
  }

  @Test func `a gap is marked once, between two messages of its conversation`() {
    var gaps = PlainGaps()
    gaps.known = [
      Self.bob: [
        HistoryHole(
          after: Date(timeIntervalSince1970: 10), before: Date(timeIntervalSince1970: 20))
      ]
    ]
    let marks = [10, 20, 21, 5].map { gaps.note(message($0)) }
    #expect(marks == [false, true, false, false])
    #expect(!gaps.note(message(1, in: Self.carol)) && !gaps.note(message(30, in: Self.carol)))
    // Printed again from the beginning, nothing precedes the first message.
    gaps.restart(Self.bob)
    #expect([20, 21].map { gaps.note(message($0)) } == [false, false])
  }
}
