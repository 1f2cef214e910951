import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The hints of a selected message offer the actions that work on it.
@Suite struct MessageUseTests {
  private func message(_ body: String, _ direction: Message.Direction = .incoming) -> Message {
    Message(
      id: Message.ID(1), conversation: .bob, sender: direction == .outgoing ? .alice : .bob,
      direction: direction, body: body, sentAt: .afternoon, originID: "1")
  }

  @Test func `what cannot be done is not offered`() {
    #expect(MessageUse.of(nil, canWrite: true).isEmpty)
    #expect(MessageUse.of(message("hi"), canWrite: true) == [.copy, .reply, .react])
    #expect(MessageUse.of(message("hi"), canWrite: false) == [.copy])
    #expect(
      MessageUse.of(message("see https://example.org"), canWrite: true)
        == [.copy, .open, .reply, .react])
    #expect(
      MessageUse.of(message("mine", .outgoing), canWrite: true)
        == [.copy, .reply, .react, .edit, .delete])
  }

  @Test func `a badge distinguishes mentions and messages`() {
    #expect(UnreadBadge.text(unread: 2, mentions: 1) == "@1 2")
    #expect(UnreadBadge.text(unread: 2, mentions: 2) == "@2")
    #expect(UnreadBadge.text(unread: 2, mentions: 0) == "2")
    #expect(UnreadBadge.text(unread: 5000, mentions: 1) == "@1 999+")
  }

  @Test func `what was done goes after a while, what went wrong stays`() {
    let timers = ManualTimers()
    let status = StatusViewModel(format: testFormat(), scheduler: timers.scheduler)
    status.show(StatusNotice(.info, "status.settingSaved"))
    #expect(!status.message.text.isEmpty)
    timers.fire()
    #expect(status.message.text.isEmpty)
    status.show(StatusNotice(.error, "error.unexpected"))
    timers.fire()
    #expect(!status.message.text.isEmpty)
  }

  @Test(arguments: [
    (ConnectionProblem.ProblemKind.certificateExpired, true), (.serverUnproven, true),
    (.mechanismTooWeak, true), (.hashingTooWeak, true), (.wrongPassword, false),
    (.accountDisabled, false), (.conflict, false),
  ])
  func `it is shown who refused`(kind: ConnectionProblem.ProblemKind, isOwn: Bool) {
    let problem = ConnectionProblem(kind, host: "natter.test")
    #expect(problem.isOwnRefusal == isOwn)
    let alert = AlertViewModel(
      state: .refused(problem), account: "alice@natter.test", localizer: english()
    ) { _ in }
    let refusedHere = english()("alert.refusedHere", ["host": "natter.test"])
    #expect((alert.dialog.dialog.lines.first == .text(refusedHere)) == isOwn)
  }
}
