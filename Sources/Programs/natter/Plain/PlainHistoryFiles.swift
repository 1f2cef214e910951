import NatterCore
import Text
import ViewModels
import XMPP

/// `/export` and `/import` in line mode: the next line is taken when they are done, so that a
/// program that types lines gets the result of each.
struct PlainHistoryFiles {
  let session: PlainSession

  /// The number of messages after which a line says how far it is.
  private static let interval = 10_000

  func run(_ request: HistoryFileRequest) async {
    guard let files = session.ports.extras.historyFiles else {
      return session.say("error.historyFile.off")
    }
    guard request != .cancel else { return session.say("error.historyFile.none") }
    let conversation = session.current
    if case .export = request, conversation == nil {
      return session.say("plain.no-conversation")
    }
    let work = HistoryFileWork(files)
    let text = HistoryFileText(
      format: session.format, name: conversation.map { session.name($0) } ?? "")
    var printed = 0
    work.onChange = { [weak session] progress in
      guard let progress, progress.count >= printed + Self.interval else { return }
      printed = progress.count
      session?.print(text.count(of: progress))
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        work.onEnd = { [weak session] progress, end in
          let notice = text.notice(of: end, progress)
          session?.say(notice.key, notice.arguments)
          continuation.resume()
        }
        work.start(request, in: conversation, absolute: session.ports.paths.absolute)
      }
    } onCancel: {
      // A signal ends the program: it does not wait for the rest.
      Task { @MainActor in work.cancel() }
    }
    // Without it, nothing would report the end.
    withExtendedLifetime(work) {}
  }
}
