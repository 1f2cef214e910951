import FoundationEssentials
import NatterCore
import Text
import ViewModels
import XMPP

/// `/history fetch` in line mode: fetches everything that the server has of the current
/// conversation, beside what is typed, with a line about its progress now and then.
struct PlainHistoryFetch {
  let session: PlainSession
  var scheduler = Scheduler.timers

  /// The number of messages after which a line says how far it is.
  private static let interval = 1000

  func run(_ request: HistoryRequest) throws {
    switch request {
    case .fetch: try fetch()
    case .cancel:
      guard let fetching = session.gaps.fetching, fetching.progress != nil else {
        throw NatterError(.invalidInput, "error.history.none")
      }
      fetching.cancel()
    }
  }

  /// Ends the fetching of the current conversation's history.
  /// - Returns: `false` if it is not being fetched.
  func cancelHere() -> Bool {
    guard let fetching = session.gaps.fetching, let progress = fetching.progress,
      progress.conversation == session.current
    else { return false }
    fetching.cancel()
    return true
  }

  private func fetch() throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let fetching = session.gaps.fetching ?? begun()
    guard let progress = fetching.progress else {
      session.say("plain.history-fetching", ["name": session.name(current)])
      return fetching.start(current, isOnline: session.gaps.isOnline)
    }
    guard progress.conversation == current else {
      throw NatterError(
        .invalidInput, "error.history.busy", ["name": session.name(progress.conversation)])
    }
    fetching.toggle()
  }

  private func begun() -> WholeHistory {
    let fetching = WholeHistory(session.ports.history, scheduler: scheduler)
    session.gaps.fetching = fetching
    var last = WholeHistory.State.running
    var printed = 0
    fetching.onChange = { [weak session] progress in
      guard let session, let progress else { return (last, printed) = (.running, 0) }
      let name = session.name(progress.conversation)
      if progress.state != last {
        switch progress.state {
        case .paused: session.say("plain.history-paused")
        case .running: if last == .paused { session.say("plain.history-resumed") }
        case .waiting: session.say("plain.history-waiting", ["name": name])
        }
        last = progress.state
      }
      guard let reached = progress.reached, progress.count >= printed + Self.interval else {
        return
      }
      printed = progress.count
      session.print(
        session.localizer.plural(
          "plain.history-progress", progress.count,
          ["name": name, "day": session.format.shortDay(reached, now: Date())]))
    }
    fetching.onEnd = { [weak session] conversation, end in
      guard let session else { return }
      PlainHistoryFetch(session: session).report(end, of: conversation)
    }
    return fetching
  }

  private func report(_ end: HistoryFetchEnd, of conversation: JID) {
    let text = HistoryFetchText(format: session.format, name: session.name(conversation))
    Task { [session] in
      let searching = session.ports.searching
      // Without the number it is said all the same.
      let stored = end.isCounted ? try? await searching.storedMessages(in: conversation) : nil
      let notice = text.notice(of: end, stored: stored)
      session.say(notice.key, notice.arguments)
    }
  }
}
