import FoundationEssentials
import Glibc
import NatterCore
import Text
import XMPP

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

  /// The failure of a command for an address with which nothing is stored.
  init(unknown address: JID, _ localizer: Localizer) {
    self.init(
      code: .failed,
      text: localizer("cli.no-conversation", ["address": address.description]))
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
