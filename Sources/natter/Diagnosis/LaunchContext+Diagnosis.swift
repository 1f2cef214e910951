import ConnectionService
import Glibc
import NatterCore
import SessionService
import ViewModels

extension LaunchContext {
  /// What can be said of this installation, and of an account where there is one.
  /// - Parameter localizer: puts it into words.
  func diagnosis(
    of account: Account?, in localizer: Localizer,
    _ credential: @escaping @Sendable () async throws -> Credential?
  ) -> Diagnosis {
    Diagnosis(
      localizer: localizer, environment: environment,
      isOnTerminal: isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0, resources: resources,
      directories: [paths.config, paths.data, paths.state],
      configurationFile: paths.configurationFile, warnings: mistakes.map { localizer($0) },
      account: account,
      credential: credential, connector: connector,
      visit: { [connector, credentials, log, tokens] account, credential in
        try await CredentialUse(
          of: account, in: credentials, renewal: TokenRenewal(tokens: tokens), log: log
        ).signedIn(with: credential) { try await connector.verify(account, $0) { _ in } }
      },
      explain: { LaunchFailure.notice($0, localizer: localizer) })
  }
}
