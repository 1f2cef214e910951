import ConnectionService
import LocalServer
import NatterCore
import Text
import ViewModels
import XMPP

/// Connects to the built-in server; makes sure that it runs, and that the account exists there.
///
/// The shell of a local account thus opens at once, as any other does, and a server that was killed
/// is started again by the next attempt to connect.
nonisolated struct LocalConnector: StreamConnecting {
  private let base: StreamConnector
  private let launcher: LocalServerLauncher
  private let localizer: Localizer

  /// - Parameter localizer: the language of the reason why the server does not run.
  init(over base: StreamConnector, launcher: LocalServerLauncher, localizer: Localizer) {
    self.base = base
    self.launcher = launcher
    self.localizer = localizer
  }

  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    var location = try await location(of: account, restarting: false)
    do {
      return try await base.connect(location, credential, resource: resource, progress: progress)
    } catch let problem as ConnectionProblem where problem.kind == .refused {
      // The server was about to end, or its state file is from before it was killed.
      location = try await self.location(of: account, restarting: true)
    } catch let problem as ConnectionProblem where problem.kind == .wrongPassword {
      // A new account, or the server was emptied since.
      try await register(location, credential)
    }
    do {
      return try await base.connect(location, credential, resource: resource, progress: progress)
    } catch let problem as ConnectionProblem where problem.kind == .wrongPassword {
      try await register(location, credential)
      return try await base.connect(location, credential, resource: resource, progress: progress)
    }
  }

  /// Registers the account, or gives it this password if it exists there with another one, because
  /// the stored password was lost.
  /// - Throws: an error that says so, if the server does not allow that.
  private func register(_ account: Account, _ credential: Credential) async throws {
    do {
      // Registration needs a key from the server's files. The server of an older version has no
      // key.
      let key = try? await launcher.server(isFresh: false).ownerKey
      try await base.register(account, credential, answers: key.map { ["key": [$0]] } ?? [:])
    } catch let problem as ConnectionProblem where problem.kind == .nameTaken {
      var lost = ConnectionProblem(
        .secretUnavailable, host: problem.host, port: problem.port)
      lost.cause = NatterError(
        .notAuthorized, "error.localSecretLost", ["name": account.jid.local ?? ""], retry: .never)
      throw lost
    }
  }

  private func location(of account: Account, restarting: Bool) async throws -> Account {
    do {
      var account = account
      account.port = try await launcher.server(isFresh: false, restarting: restarting).port
      return account
    } catch let failure as LocalServerFailure {
      throw ConnectionProblem(.localServerFailed, detail: failure.text(localizer))
    }
  }
}
