import NatterCore
import Text
import ViewModels

/// Describes any error that ended the program or a command in sentences.
enum LaunchFailure {
  /// The lines to show.
  static func notice(_ error: any Error, localizer: Localizer) -> [String] {
    switch error {
    case let failure as CommandFailure: failure.text.split(separator: "\n").map(String.init)
    case let problem as ConnectionProblem: ErrorText(problem, localizer: localizer).lines
    case let failure as LocalServerFailure: [failure.text(localizer)]
    default:
      {
        let error = NatterError(reporting: error, key: "error.unexpected")
        return [localizer(error.key, error.arguments)]
      }()
    }
  }

  static func commandFailure(_ error: any Error, localizer: Localizer) -> CommandFailure {
    if let failure = error as? CommandFailure { return failure }
    let code: ExitCode =
      switch error {
      case let problem as ConnectionProblem: ExitCode(problem)
      case is LocalServerFailure: .unavailable
      case let error as any NatterErrorConvertible: code(of: error.natterError)
      case let error as NatterError: code(of: error)
      default: .internalError
      }
    return CommandFailure(
      code: code, text: notice(error, localizer: localizer).joined(separator: "\n"))
  }

  private static func code(of error: NatterError) -> ExitCode {
    switch error.kind {
    case .offline: .unavailable
    case .notAuthorized: .noPermission
    case .refused, .storage: .failed
    case .invalidInput: .badData
    case .unexpected: .internalError
    }
  }
}
