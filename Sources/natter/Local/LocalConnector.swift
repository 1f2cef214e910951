import ConnectionService
import LocalServer
import NatterCore
import ViewModels
import XMPP

/// Connects to the built-in server: sees to it that it runs, and that the account exists there.
///
/// So the shell of a local account opens at once, as any other does, and a server that was killed is started again by
/// the next attempt to connect.
nonisolated struct LocalConnector: StreamConnecting {
  private let base: StreamConnector
  private let launcher: LocalServerLauncher
  private let localizer: Localizer

  /// - Parameter localizer: says why the server does not run.
  init(over base: StreamConnector, launcher: LocalServerLauncher, localizer: Localizer) {
    self.base = base
    self.launcher = launcher
    self.localizer = localizer
  }

  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    var place = try await place(of: account, restarting: false)
    do {
      return try await base.connect(place, credential, resource: resource, progress: progress)
    } catch let problem as ConnectionProblem where problem.kind == .refused {
      // The server was just ending, or what it wrote down is from before it was killed.
      place = try await self.place(of: account, restarting: true)
    } catch let problem as ConnectionProblem where problem.kind == .wrongPassword {
      // A new account, or one whose server was emptied since.
      try await register(place, credential)
    }
    do {
      return try await base.connect(place, credential, resource: resource, progress: progress)
    } catch let problem as ConnectionProblem where problem.kind == .wrongPassword {
      try await register(place, credential)
      return try await base.connect(place, credential, resource: resource, progress: progress)
    }
  }

  /// Where the server has the account under another password, that what was kept here of it is lost: it gets this one.
  /// - Throws: where the server lets nobody do that, that it is lost.
  private func register(_ account: Account, _ credential: Credential) async throws {
    do {
      // Only who can read the server's files makes accounts there. An older version's server has no key.
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

  private func place(of account: Account, restarting: Bool) async throws -> Account {
    do {
      var account = account
      account.port = try await launcher.server(isFresh: false, restarting: restarting).port
      return account
    } catch let failure as LocalServerFailure {
      throw ConnectionProblem(.localServerFailed, detail: failure.text(localizer))
    }
  }
}
