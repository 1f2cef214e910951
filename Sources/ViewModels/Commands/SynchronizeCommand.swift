import NatterCore

extension Command {
  /// `/sync [stop]`: reads once more what is to be known of the conversations; with the word, ends that.
  package static let synchronize = Command("sync", [.refreshing]) { call, context in
    switch call.rest.lowercased() {
    case "": context.actions.synchronize(true)
    case "stop": context.actions.synchronize(false)
    case let word: throw NatterError(.invalidInput, "error.badSync", ["text": word])
    }
  }
}
