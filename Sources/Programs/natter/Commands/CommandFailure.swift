import NatterCore

/// A failed command: its message and its exit code.
nonisolated struct CommandFailure: Error {
  let code: ExitCode
  let text: String
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
