import FoundationEssentials
import NatterCore
import Text

/// The "Not connected" alert: what happened, what happens next, and what the user can do
/// (interface.md, "Alert").
///
/// Its creator decides when to show it: only while the user waits for the connection.
package final class AlertViewModel {
  /// The user's choice.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    case tryNow, workOffline, signIn
    /// Esc: closes the alert and changes nothing else.
    case hide
  }

  package let dialog: DialogViewModel
  private let localizer: Localizer
  private let account: String
  private let now: () -> Date
  private let sleep: (Duration) async throws -> Void
  private var summary: ConnectionSummary
  /// The number of unsent messages.
  private let waiting: Int

  /// - Parameters:
  ///   - account: the account's address, for the title line.
  ///   - waiting: the number of messages in the outbox.
  ///   - sleep: waits between two steps of the countdown.
  package init(
    state: ConnectionState, account: String, waiting: Int = 0, localizer: Localizer,
    now: @escaping () -> Date = { Date() },
    sleep: @escaping (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    onChoice: @escaping (Choice) -> Void
  ) {
    summary = ConnectionSummary(state)
    self.account = account
    self.waiting = waiting
    self.localizer = localizer
    self.now = now
    self.sleep = sleep
    dialog = DialogViewModel(
      Self.content(summary, account, waiting, localizer, now()),
      onPress: { Choice(rawValue: $0).map(onChoice) }, onCancel: { onChoice(.hide) })
  }

  /// Shows the new state.
  /// - Returns: `false` if there is nothing left to alert: the account is online.
  @discardableResult
  package func connectionChanged(to state: ConnectionState) -> Bool {
    summary.follow(state)
    refresh()
    return !state.isOnline
  }

  /// Updates the countdown.
  package func refresh() {
    var next = Self.content(summary, account, waiting, localizer, now())
    if let focused = dialog.dialog.focusedButton { next.focus(on: focused.id) }
    if next != dialog.dialog { dialog.dialog = next }
  }

  /// Updates the countdown each second until the task is cancelled.
  package func run() async {
    while (try? await sleep(.seconds(1))) != nil, !Task.isCancelled { refresh() }
  }

  private static func content(
    _ summary: ConnectionSummary, _ account: String, _ waiting: Int, _ localizer: Localizer,
    _ now: Date
  ) -> Dialog {
    let (state, trouble) = (summary.state, summary.trouble)
    var lines: [Dialog.Line] = []
    var compact: [Dialog.Line] = []
    let problem: ConnectionProblem? =
      switch trouble {
      case .waiting(_, let reason): reason
      case .refused(let reason): reason
      case .offline, .connecting, .online: nil
      }
    if let problem {
      let text = ErrorText(problem, localizer: localizer)
      let host = ErrorText.oneLine(problem.subject.isEmpty ? account : problem.subject)
      let isRefusal = if case .refused = trouble { true } else { false }
      let headline =
        switch problem.kind {
        case .secretUnavailable:
          localizer("alert.noSecret", ["account": ErrorText.oneLine(account)])
        case .localServerFailed: localizer("alert.noLocalServer")
        // The peer is not an XMPP server, so it cannot have refused.
        case .notXMPP: localizer("alert.unreachable", ["host": host])
        case _ where problem.isOwnRefusal: localizer("alert.refusedHere", ["host": host])
        default: localizer(isRefusal ? "alert.refuses" : "alert.unreachable", ["host": host])
        }
      lines = [.text(headline), .blank, .row(localizer("alert.what"), text.what)]
      if !text.location.isEmpty { lines.append(.row(localizer("alert.where"), text.location)) }
      if !text.detail.isEmpty { lines.append(.row(localizer("alert.code"), text.detail)) }
      lines += [.blank, .text(isRefusal ? text.now : text.why)]
      compact = [
        .text(headline), .text(text.headline), .text(isRefusal ? text.now : text.location),
      ]
    } else {
      lines = [.text(localizer("alert.offline"))]
      compact = lines
    }
    lines += [.blank, .text(localizer("alert.kept"))]
    compact += [.blank, .text(localizer("alert.kept"))]
    if waiting > 0 {
      let count = Dialog.Line.text(localizer.plural("alert.waiting", waiting))
      lines.append(count)
      compact.append(count)
    }
    if let next = nextStep(state, localizer, now) {
      lines += [.blank, .text(next)]
      compact += [.blank, .text(next)]
    }
    var buttons = [
      Dialog.Button(
        Choice.tryNow.rawValue, localizer("alert.tryNow"), compact: localizer("alert.tryNow")),
      Dialog.Button(
        Choice.workOffline.rawValue, localizer("alert.workOffline"),
        compact: localizer("alert.workOfflineShort")),
      Dialog.Button(
        Choice.signIn.rawValue, localizer("alert.signIn"),
        compact: localizer("alert.signInShort")),
    ]
    // Retrying does not help against a refusal: the button that does help comes first.
    if case .refused(let problem) = trouble, problem.kind != .secretUnavailable {
      buttons.insert(buttons.removeLast(), at: 0)
    }
    return Dialog(
      title: localizer("alert.title"), level: .error, lines: lines, compactLines: compact,
      buttons: buttons)
  }

  private static func nextStep(_ state: ConnectionState, _ localizer: Localizer, _ now: Date)
    -> String?
  {
    switch state {
    case .waiting(let until, _):
      let seconds = max(0, Int(until.timeIntervalSince(now).rounded(.up)))
      let digits = seconds % 60
      return localizer(
        "alert.countdown", ["time": "\(seconds / 60):\(digits < 10 ? "0" : "")\(digits)"])
    case .connecting(let host):
      return localizer("alert.connecting", ["host": ErrorText.oneLine(host)])
    case .refused(let problem):
      if problem.kind == .secretUnavailable { return localizer("alert.onceOnly") }
      return localizer(problem.mayPass ? "alert.slowRetry" : "alert.noRetry")
    case .online: return localizer("alert.online")
    case .offline: return nil
    }
  }
}
