/// An invalid command line: exit code 2.
struct UsageError: Error, Equatable {
  /// A key of `Resources/locales` under `[cli]`.
  let key: String
  let arguments: [String: String]

  init(_ key: String, _ arguments: [String: String] = [:]) {
    self.key = key
    self.arguments = arguments
  }
}

/// The exit codes of the program (interface.md, "Command line"; from sysexits.h).
nonisolated enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case badData = 65
  case unavailable = 69
  case internalError = 70
  case outputFailed = 74
  case temporary = 75
  case noPermission = 77
  case badConfiguration = 78
  /// Ended by SIGINT or SIGTERM, after an orderly shutdown: the codes that a shell shows for a
  /// program that these signals ended.
  case interrupted = 130
  case terminated = 143
}
