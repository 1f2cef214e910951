import FoundationEssentials
import NatterCore
import Text
import XMPP

/// Goes to a day of a conversation, or to its first message: what is not stored there is fetched
/// first, a page only.
struct DayVisit {
  private let shell: ShellViewModel
  private let conversation: JID
  /// The lines above the first message that are shown, too: its day, and that it is the beginning.
  private static let linesAbove = 2

  /// - Returns: `nil` when no conversation is open.
  init?(_ shell: ShellViewModel) {
    guard let jid = shell.activeConversation else { return nil }
    (self.shell, conversation) = (shell, jid)
  }

  /// Goes to the first message of a day, or after it.
  /// - Throws: `NatterError` when `text` is no day.
  func go(toDay text: String) throws {
    let start = try shell.format.position(beforeDay: text)
    find(from: start.time.addingTimeInterval(0.001), after: start) { first, outcome in
      if let first { shell.timeline.reveal(first.id) }
      if let notice = notice(of: outcome, "status.dayUnanswered", ["day": text]) {
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
    find(from: nil, after: start) { first, outcome in
      if let notice = notice(of: outcome, "status.firstUnanswered") { shell.show(notice) }
      guard let first else { return }
      shell.timeline.resume(
        at: TimelinePosition(
          anchor: .init(message: first.id, line: -Self.linesAbove),
          // Among the messages, one of them stays selected.
          selected: shell.timeline.isFocused ? first.id : nil, marked: nil, sought: []))
    }
  }

  /// Returns why messages may be missing; `nil` if the archive has answered.
  /// - Parameter key: the text where there was no answer.
  private func notice(
    of outcome: HistoryOutcome, _ key: String, _ arguments: [String: String] = [:]
  ) -> StatusNotice? {
    switch outcome {
    case .fetched, .beginning: nil
    case .offline: StatusNotice(.warning, key, arguments)
    case .refused(let refusal):
      StatusNotice(
        .warning, "timeline.refusedOlder", ["reason": shell.format.reason(of: refusal)])
    }
  }

  /// Fetches what is missing from a time on, and finds the first message there.
  private func find(
    from time: Date?, after position: MessagePosition,
    then go: @escaping (Message?, HistoryOutcome) -> Void
  ) {
    let (shell, conversation) = (shell, conversation)
    shell.lifetime.aside {
      do {
        let outcome =
          try await shell.ports.history?.fetch(from: time, in: conversation) ?? .beginning
        let found = try await shell.ports.timeline.messages(after: position, 1, in: conversation)
        if shell.activeConversation == conversation { go(found.first, outcome) }
      } catch {
        shell.report(error)
      }
    }
  }
}
