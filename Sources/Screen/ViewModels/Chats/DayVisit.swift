import FoundationEssentials
import NatterCore
import Text
import XMPP

/// Goes to a day of a conversation, or to its first message: what is not stored there is fetched
/// first, a page only. It goes nowhere if the user has moved on before that is there.
struct DayVisit {
  private let shell: ShellViewModel
  private let conversation: JID
  /// The lines above the first message that are shown, too: its day, and that it is the beginning.
  private static let linesAbove = 2
  /// The time from which waiting for the server is shown.
  private static let patience = Duration.milliseconds(300)

  /// - Returns: `nil` when no conversation is open.
  init?(_ shell: ShellViewModel) {
    guard let jid = shell.activeConversation else { return nil }
    (self.shell, conversation) = (shell, jid)
  }

  /// The answer of the archive.
  private struct Outcome {
    let history: HistoryOutcome
    /// Indicates whether it was not asked, because the sign-in is not finished.
    let isEarly: Bool
  }

  /// Goes to the first message of a day, or after it.
  /// - Throws: `NatterError` when `text` is no day.
  func go(toDay text: String) throws {
    let start = try shell.format.position(beforeDay: text)
    find(from: start.time.addingTimeInterval(0.001), after: start) { timeline, first, outcome in
      if let first { timeline.reveal(first.id) }
      if let notice = notice(
        of: outcome, early: "status.dayEarly", unanswered: "status.dayUnanswered", ["day": text])
      {
        return shell.show(notice)
      }
      guard let first else {
        return shell.show(StatusNotice(.info, "status.nothingSince", ["day": text]))
      }
      if shell.format.calendarDay(first.sentAt) != CalendarDay(parsing: text) {
        shell.show(StatusNotice(.info, "status.nothingOn", ["day": text]))
      }
    }
  }

  /// Goes to the first message of all.
  func goToFirst() {
    let start = MessagePosition(at: .distantPast, id: Message.ID(0))
    find(from: nil, after: start) { timeline, first, outcome in
      if let notice = notice(
        of: outcome, early: "status.firstEarly", unanswered: "status.firstUnanswered")
      {
        shell.show(notice)
      }
      guard let first else { return }
      timeline.resume(
        at: TimelinePosition(
          anchor: .init(message: first.id, line: -Self.linesAbove),
          // Among the messages, one of them stays selected.
          selected: timeline.isFocused ? first.id : nil, marked: nil, sought: []))
    }
  }

  /// Returns why messages may be missing; `nil` if the archive has answered.
  /// - Parameters:
  ///   - early: the key of the text where nothing was requested yet.
  ///   - unanswered: the key of the text where there was no answer.
  private func notice(
    of outcome: Outcome, early: String, unanswered: String, _ arguments: [String: String] = [:]
  ) -> StatusNotice? {
    switch outcome.history {
    case .fetched, .beginning: nil
    case .offline:
      StatusNotice(.warning, outcome.isEarly ? early : unanswered, arguments)
    case .refused(let refusal):
      StatusNotice(
        .warning, "timeline.refusedOlder", ["reason": shell.format.reason(of: refusal)])
    }
  }

  /// Fetches what is missing from a time on, and finds the first message there.
  /// - Parameter go: called while the user is where they were, and has asked for nothing else.
  private func find(
    from time: Date?, after position: MessagePosition,
    then go: @escaping (TimelineViewModel, Message?, Outcome) -> Void
  ) {
    let (shell, conversation, timeline) = (shell, conversation, shell.timeline)
    let (request, origin) = (UUID(), timeline.position)
    timeline.window.request = request
    let waiting = StatusNotice(.info, "timeline.olderFetched")
    let cancelWaiting = shell.scheduler.after(Self.patience) { shell.show(waiting) }
    shell.lifetime.aside {
      do {
        let history = shell.ports.history
        let answer = try await history?.fetch(from: time, in: conversation) ?? .beginning
        let isEarly = answer == .offline ? await history?.isSigningIn() ?? false : false
        let found = try await shell.ports.timeline.messages(after: position, 1, in: conversation)
        if shell.activeConversation == conversation, timeline.window.request == request,
          timeline.position == origin
        {
          go(timeline, found.first, Outcome(history: answer, isEarly: isEarly))
        }
      } catch {
        shell.report(error)
      }
      cancelWaiting()
      shell.status.clear(waiting)
    }
  }
}
