import ConnectionService
import Glibc
import NatterCore
import SessionService
import TOML
import Terminal
import Text
import ViewModels
import XMPP

extension LaunchContext {
  /// The problems in all files that the user has written, for all themes and languages.
  private var allMistakes: [FileProblem] {
    let library = ThemeLibrary.standard(paths: paths, resources: resources)
    let theme = themeChoice(from: library, kind: daylight.kind)
    let others = library.names.flatMap { library.theme($0)?.problems ?? [] }
    let languages = LanguageChoice.available(in: localeFolders).flatMap {
      LanguageMistakes.all(of: $0, in: localeFolders)
    }
    var reported: Set<FileProblem> = []
    return (mistakes + keyChoice.problems + theme.problems + others + languages)
      .filter { reported.insert($0).inserted }
  }

  /// Returns the files with the messages of all accounts.
  /// - Parameter first: whose come first, be the account stored or not.
  private func databases(first: JID?) async throws -> [Diagnosis.Database] {
    let others = try await accounts.accounts().map(\.jid).filter { $0 != first }
    return ((first.map { [$0] } ?? []) + others).map {
      Diagnosis.Database(account: $0, file: databaseFile(of: $0))
    }
  }

  /// Returns the report about this installation, and about an account where there is one.
  /// - Parameters:
  ///   - localizer: the localizer of the text.
  ///   - colours: how many the terminal shows; `nil` where that is not known.
  ///   - widths: asks the terminal for the width of some glyphs; `nil` without an answer.
  func diagnosis(
    of account: Account?, in localizer: Localizer,
    substitute: String?, colours: String?, widths: @escaping @Sendable () async -> WidthProbe?,
    _ credential: @escaping @Sendable () async throws -> Credential?
  ) -> Diagnosis {
    Diagnosis(
      localizer: localizer, environment: environment,
      isOnTerminal: isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0, resources: resources,
      directories: [paths.config, paths.data, paths.state, paths.cache, paths.runtime],
      configurationFile: paths.configurationFile, crashes: CrashReports(directory: paths.state),
      warnings: allMistakes.map { localizer($0) }, isConfigurationGood: mistakes.isEmpty,
      account: account, databases: { try await self.databases(first: account?.jid) },
      credential: credential, connector: connector,
      visit: { [connector, credentials, log, renewal] account, credential in
        try await CredentialUse(
          of: account, in: credentials, renewal: renewal, log: log
        ).signedIn(with: credential) { try await connector.survey(of: account, $0) }
      },
      substitute: substitute, colours: colours, widths: widths,
      explain: { LaunchFailure.notice($0, localizer: localizer) })
  }
}
