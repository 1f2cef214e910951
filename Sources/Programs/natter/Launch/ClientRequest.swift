/// A command that works through the bridge (natter(1), "Shell commands").
nonisolated enum ClientRequest: Equatable {
  /// Answers requests.
  /// - Parameters:
  ///   - name: the entry whose permissions apply; `nil`: those of the user.
  ///   - isOffline: never connects by itself.
  ///   - socket: serves clients of a socket instead of standard input and output.
  case serve(name: String?, isOffline: Bool, socket: Socket?)
  /// Prints messages as they are stored.
  case tail(TailRequest)
  /// Makes one request.
  /// - Parameter parameters: JSON; `-`: from standard input; `nil`: none.
  case call(method: String, parameters: String?)

  enum Socket: Equatable {
    /// That of the account.
    case account
    case path(String)
  }

  /// The names of the commands.
  static let commands = ["tail", "call", "serve"]
}

/// The messages that `natter tail` prints.
nonisolated struct TailRequest: Equatable {
  /// The conversations; empty: all.
  var addresses: [String] = []
  var since: GivenTime?
  /// Begins after the message with this id.
  var cursor: Int?
  var isJSON = false
}
