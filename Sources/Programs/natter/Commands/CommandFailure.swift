import FoundationEssentials
import Glibc
import NatterCore
import Text

/// A failed command: its message and its exit code.
nonisolated struct CommandFailure: Error {
  let code: ExitCode
  let text: String
}

extension CommandFailure {
  /// The failure of a command whose output could not be written: a missing report is no success.
  init(writing error: POSIXError, _ localizer: Localizer) {
    self.init(
      code: .outputFailed,
      text: localizer("cli.output-failed", ["reason": String(error.code.rawValue)]))
  }
}

extension ExitCode {
  /// The exit code for a failed connection.
  nonisolated init(_ problem: ConnectionProblem) {
    self =
      switch problem.kind {
      case .wrongPassword, .accountDisabled, .credentialsExpired, .mechanismTooWeak, .notAuthorized,
        .serverUnproven, .signInWeakened, .signInTampered, .hashingTooWeak, .hashingTooCostly,
        .otherAccount,
        .tokenRefused, .scopeMissing, .declined, .codeExpired, .codeRefused, .webTokenUseless,
        .registrationRefused, .nameTaken, .formRejected,
        .notSignedIn, .secretUnavailable:
        .noPermission
      case .serverShutdown, .policyViolation, .busy: .temporary
      default: .unavailable
      }
  }
}
