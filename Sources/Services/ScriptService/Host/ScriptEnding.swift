import NatterCore

/// Why a run of a script has ended.
enum ScriptEnding: Hashable, Sendable {
  /// By itself.
  case exited(ScriptExit)
  /// The host ended it.
  case stopped
  /// It had nothing to do.
  case asleep
  /// It did not say hello in time.
  case mute
  /// It did not answer.
  case hung
  /// It broke a limit.
  case broken(ScriptBreach)

  /// Returns the notice about a script that failed.
  /// - Parameters:
  ///   - title: of the script; untrusted.
  ///   - line: the last line of its log; untrusted.
  func notice(about title: String, saying line: String?) -> StatusNotice {
    var arguments = ["script": title]
    if let line { arguments["line"] = line }
    let keys: (silent: String, with: String)
    switch self {
    case .exited(.status(let status)):
      arguments["status"] = String(status)
      keys = ("error.script.exited", "error.script.exitedWith")
    case .exited(.signal(let number)):
      arguments["signal"] = String(number)
      keys = ("error.script.killed", "error.script.killedWith")
    case .mute: keys = ("error.script.mute", "error.script.muteWith")
    case .hung: keys = ("error.script.hung", "error.script.hungWith")
    case .broken(.lines): keys = ("error.script.lines", "error.script.linesWith")
    case .broken(.flood): keys = ("error.script.flood", "error.script.floodWith")
    case .broken(.memory): keys = ("error.script.memory", "error.script.memoryWith")
    case .broken(.processor): keys = ("error.script.processor", "error.script.processorWith")
    case .broken(.processes): keys = ("error.script.processes", "error.script.processesWith")
    case .broken(.files): keys = ("error.script.files", "error.script.filesWith")
    case .stopped, .asleep: keys = ("error.script.gone", "error.script.gone")
    }
    return StatusNotice(.error, line == nil ? keys.silent : keys.with, arguments)
  }
}

/// A limit for which a script is stopped.
enum ScriptBreach: String, Hashable, Sendable {
  /// It writes lines without JSON.
  case lines
  /// It asks on although it is refused.
  case flood
  case memory, processor
  /// It has too many processes and threads.
  case processes
  /// Its storage has too many files, or too large ones.
  case files
}
