import FoundationEssentials
import NatterCore
import Text
import XMPP

/// `/history`: fetches everything that the server has of the open conversation, with its progress
/// in the status line.
struct HistoryFetchTool {
  let shell: ShellViewModel

  /// Begins; pauses or resumes what has begun.
  /// - Throws: `NatterError` without a conversation, or while another one's history is fetched.
  func fetch() throws {
    guard let jid = shell.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    guard let history = shell.ports.history else { return report(.noArchive, of: jid) }
    let fetching = shell.requests.wholeHistory ?? begun(history)
    guard let progress = fetching.progress else {
      return fetching.start(jid, isOnline: shell.connectionState == .online)
    }
    guard progress.conversation == jid else {
      throw NatterError(
        .invalidInput, "error.history.busy", ["name": shell.name(of: progress.conversation)])
    }
    fetching.toggle()
  }

  /// Ends what has begun, in any conversation.
  /// - Throws: `NatterError` if there is nothing.
  func cancel() throws {
    guard shell.requests.wholeHistory?.progress != nil else {
      throw NatterError(.invalidInput, "error.history.none")
    }
    shell.requests.wholeHistory?.cancel()
  }

  /// Pauses or resumes the fetching of the open conversation.
  /// - Returns: `false` if it is not being fetched.
  func toggleHere() -> Bool {
    guard let fetching = fetchingHere else { return false }
    fetching.toggle()
    return true
  }

  /// Ends the fetching of the open conversation.
  /// - Returns: `false` if it is not being fetched.
  func cancelHere() -> Bool {
    guard let fetching = fetchingHere else { return false }
    fetching.cancel()
    return true
  }

  private var fetchingHere: WholeHistory? {
    guard let fetching = shell.requests.wholeHistory, let progress = fetching.progress,
      progress.conversation == shell.activeConversation
    else { return nil }
    return fetching
  }

  private func begun(_ history: any HistoryFetching) -> WholeHistory {
    let fetching = WholeHistory(history, scheduler: shell.scheduler)
    attach(fetching)
    return fetching
  }

  /// Continues what another shell of the account has begun.
  func take(from other: ShellViewModel) {
    guard let fetching = other.requests.wholeHistory else { return }
    other.requests.wholeHistory = nil
    attach(fetching)
    show(fetching.progress)
  }

  private func attach(_ fetching: WholeHistory) {
    shell.requests.wholeHistory = fetching
    fetching.onChange = { [weak shell] in shell?.tools.history.show($0) }
    fetching.onEnd = { [weak shell] in shell?.tools.history.report($1, of: $0) }
    shell.follow { [weak fetching] in fetching?.handle($0) }
  }

  private func show(_ progress: WholeHistory.Progress?) {
    let text = progress.map {
      HistoryFetchText(format: shell.format, name: shell.name(of: $0.conversation))
        .progress($0, now: shell.now(), isCalm: shell.isCalm)
    }
    shell.status.show(work: text ?? "")
  }

  private func report(_ end: HistoryFetchEnd, of conversation: JID) {
    let text = HistoryFetchText(format: shell.format, name: shell.name(of: conversation))
    guard end.isCounted, let searching = shell.ports.searching else {
      return shell.show(text.notice(of: end, stored: nil))
    }
    shell.lifetime.aside { [weak shell] in
      // Without the number it is said all the same.
      let stored = try? await searching.storedMessages(in: conversation)
      shell?.show(text.notice(of: end, stored: stored))
    }
  }
}

/// The sentences about the fetching of a conversation's whole history.
package struct HistoryFetchText {
  private let format: ItemFormat
  private let name: String

  /// - Parameter name: the name of the conversation.
  package init(format: ItemFormat, name: String) { (self.format, self.name) = (format, name) }

  /// The progress in one line, and the ways to change it.
  /// - Parameter isCalm: without numbers that change.
  package func progress(
    _ progress: WholeHistory.Progress, now: Date, isCalm: Bool = false
  ) -> String {
    let state =
      switch progress.state {
      case .running: "running"
      case .waiting: "waiting"
      case .paused: "paused"
      }
    guard let reached = progress.reached, !isCalm else {
      return format.localizer("status.history.\(state)", ["name": name])
    }
    return format.localizer.plural(
      "status.history.\(state)At", progress.count,
      ["name": name, "day": format.shortDay(reached, now: now)])
  }

  /// The result.
  /// - Parameter stored: the number of messages that are stored now; `nil`: not known.
  package func notice(of end: HistoryFetchEnd, stored: Int?) -> StatusNotice {
    switch end {
    case .complete: result(.info, "complete", stored)
    case .incomplete: result(.warning, "incomplete", stored)
    case .cancelled: StatusNotice(.info, "status.history.cancelled", ["name": name])
    case .noArchive: StatusNotice(.warning, "status.history.noArchive", ["name": name])
    case .refused(let refusal):
      StatusNotice(
        .warning, "timeline.refusedOlder", ["reason": format.reason(of: refusal)])
    case .failed(let error): error.notice
    }
  }

  private func result(_ level: StatusNotice.Level, _ key: String, _ stored: Int?) -> StatusNotice {
    let count = stored.map { format.localizer.plural("status.history.messages", $0) }
    guard let count else { return StatusNotice(level, "status.history.\(key)", ["name": name]) }
    return StatusNotice(level, "status.history.\(key)Of", ["name": name, "messages": count])
  }
}

extension HistoryFetchEnd {
  /// Indicates whether the number of stored messages says something about the result.
  nonisolated package var isCounted: Bool { self == .complete || self == .incomplete }
}
