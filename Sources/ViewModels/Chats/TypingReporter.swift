import NatterCore
import XMPP

/// Tells the other side of the open conversation that an answer is being typed, or no longer (XEP-0085 §5.3).
package final class TypingReporter {
  /// After this long without a key, typing has paused.
  package static let pause = Duration.seconds(10)

  private let reporting: (any ChatActivityReporting)?
  private let scheduler: Scheduler
  private let lifetime: Lifetime
  private var conversation: JID?
  private var activity = ChatActivity.active
  private var cancelPause: (() -> Void)?

  package init(
    reporting: (any ChatActivityReporting)?, scheduler: Scheduler, lifetime: Lifetime
  ) {
    self.reporting = reporting
    self.scheduler = scheduler
    self.lifetime = lifetime
  }

  /// The person has changed to another conversation; the one before is left with what it was told last.
  package func show(_ jid: JID?) {
    guard jid != conversation else { return }
    if activity == .composing { tell(.paused) }
    forgetPause()
    conversation = jid
    activity = .active
  }

  /// The person has changed what stands in the input.
  package func typed(_ text: String) {
    forgetPause()
    // A command is nobody's business but Natter's.
    guard !text.isEmpty, !text.isCommandLine || text.isOwnAction else { return tell(.active) }
    tell(.composing)
    cancelPause = scheduler.after(Self.pause) { [weak self] in
      self?.cancelPause = nil
      self?.tell(.paused)
    }
  }

  /// The text was sent: the message itself says that typing is over.
  package func sent() {
    forgetPause()
    activity = .active
    if let conversation { report(.sent, conversation) }
  }

  /// The person has closed the conversation.
  package func closed(_ jid: JID) {
    if jid == conversation {
      forgetPause()
      tell(.gone)
    } else {
      report(.gone, jid)
    }
  }

  private func tell(_ next: ChatActivity) {
    guard next != activity, let conversation else { return }
    activity = next
    report(next, conversation)
  }

  private func report(_ activity: ChatActivity, _ jid: JID) {
    guard let reporting else { return }
    lifetime.inOrder { await reporting.report(activity, in: jid) }
  }

  private func forgetPause() {
    cancelPause?()
    cancelPause = nil
  }
}
