import NatterCore

/// The reason why a script does not run.
struct ScriptRefusal {
  let script: String
  /// Why no script runs; `nil`: they may run.
  let general: StatusNotice?

  /// - Parameter state: that of the script; `nil`: there is none of that name.
  func error(in state: ScriptState?) -> NatterError {
    switch state {
    case nil: return error("unknown")
    case .bad(_, let notice): return NatterError(.invalidInput, notice.key, notice.arguments)
    case .unsafe(let path):
      return NatterError(
        .notAuthorized, "error.script.state.unsafe", ["name": script, "path": path])
    case .changed: return error("changed")
    default:
      if let general { return NatterError(.refused, general.key, general.arguments) }
      return error("off")
    }
  }

  private func error(_ state: String) -> NatterError {
    NatterError(.invalidInput, "error.script.state.\(state)", ["name": script], retry: .never)
  }
}
