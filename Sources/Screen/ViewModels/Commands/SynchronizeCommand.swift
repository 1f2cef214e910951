import NatterCore

extension Command {
  /// `/sync [stop]`: synchronizes the conversations again; `stop` cancels that.
  package static let synchronize = Command("sync", [.refreshing]) { call, context in
    switch call.rest.lowercased() {
    case "": context.actions.synchronize(true)
    case "stop": context.actions.synchronize(false)
    case let word: throw NatterError(.invalidInput, "error.badSync", ["text": word])
    }
  }
}
