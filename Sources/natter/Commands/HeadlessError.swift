import NatterCore

/// A command could not be carried out: what to say, and how to exit.
nonisolated struct CommandFailure: Error {
  let code: ExitCode
  let text: String
}

extension ExitCode {
  /// How a command ends when there is no connection for this reason.
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
