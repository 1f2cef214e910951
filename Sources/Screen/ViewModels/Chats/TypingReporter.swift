import NatterCore
import Text
import XMPP

/// Reports to the peer of the open conversation that the user types, or has stopped (XEP-0085
/// §5.3).
package final class TypingReporter {
  /// The time without a key after which typing counts as paused.
  package static let pause = Duration.seconds(10)

  private let reporting: (any ChatActivityReporting)?
  private let scheduler: Scheduler
  private let lifetime: Lifetime
  /// The thread of the text that is typed in a conversation.
  var thread: (JID) -> ThreadChoice = { _ in .ofConversation }
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

  /// Handles a change to another conversation; the previous peer keeps the last reported state.
  package func show(_ jid: JID?) {
    guard jid != conversation else { return }
    if activity == .composing { send(.paused) }
    forgetPause()
    conversation = jid
    activity = .active
  }

  /// Handles a change of the input by the user.
  package func typed(_ text: String) {
    forgetPause()
    // A command concerns Natter only.
    guard !text.isEmpty, !text.isCommandLine || text.isOwnAction else { return send(.active) }
    send(.composing)
    cancelPause = scheduler.after(Self.pause) { [weak self] in
      self?.cancelPause = nil
      self?.send(.paused)
    }
  }

  /// Handles the sending: the message itself implies that typing is over.
  package func sent() {
    forgetPause()
    activity = .active
    if let conversation { report(.sent, conversation) }
  }

  /// Handles the closing of a conversation by the user.
  package func closed(_ jid: JID) {
    if jid == conversation {
      forgetPause()
      send(.gone)
    } else {
      report(.gone, jid)
    }
  }

  private func send(_ next: ChatActivity) {
    guard next != activity, let conversation else { return }
    activity = next
    report(next, conversation)
  }

  private func report(_ activity: ChatActivity, _ jid: JID) {
    guard let reporting else { return }
    let thread = thread(jid)
    lifetime.inOrder { await reporting.report(activity, in: jid, thread: thread) }
  }

  private func forgetPause() {
    cancelPause?()
    cancelPause = nil
  }
}
