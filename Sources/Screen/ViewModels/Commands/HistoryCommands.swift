import NatterCore

/// An operation of `/history`.
nonisolated package enum HistoryRequest: String, CaseIterable, Sendable {
  /// Fetches everything; again, pauses or resumes that.
  case fetch
  case cancel
}

// The command that fetches a whole history, and those that pause and end work that takes long.
enum HistoryCommands {
  /// `/history [fetch|cancel]`: fetches everything that the server has of this conversation; again,
  /// pauses or resumes that.
  static let history = Command("history", [.history]) { call, context in
    switch HistoryRequest(rawValue: call.rest.isEmpty ? "fetch" : call.rest.lowercased()) {
    case .fetch: try context.tools.history.fetch()
    case .cancel: try context.tools.history.cancel()
    case nil: throw NatterError(.invalidInput, "error.history.word", ["text": call.rest])
    }
  }

  /// `/pause`: pauses or resumes the fetching of this conversation's history, or else its
  /// transfers.
  static let pause = Command("pause") { _, context in
    if !context.tools.history.toggleHere() { context.holdTransfers() }
  }

  /// `/cancel`: ends the fetching of this conversation's history, or else drops its failed
  /// messages.
  static let cancel = Command("cancel") { _, context in
    if !context.tools.history.cancelHere() { context.cancelFailed() }
  }
}
