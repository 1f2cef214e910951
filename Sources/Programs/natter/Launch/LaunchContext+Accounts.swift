import API
import Configuration
import ConnectionService
import Diagnostics
import FoundationEssentials
import NatterCore
import SQLite
import SessionService
import Storage
import Text
import ViewModels
import XMPP

// The secrets of accounts: which there are, how they are used, and how they are forgotten.
extension LaunchContext {
  /// The account that a command works for, with its secret at hand.
  /// - Throws: `CommandFailure` when there is none, or no secret for it.
  func signedInAccount() async throws -> (Account, any CredentialStoring) {
    let named = try await accountOfAddress()?.description
    guard let account = try await choice.account(named: named) else {
      throw CommandFailure(code: .noPermission, text: localizer("cli.no-account"))
    }
    if let given = try choice.givenCredential(allowsStandardInput: true) {
      await credentials.keep(given, for: account.jid)
    }
    guard try await credentials.credential(for: account.jid) != nil else {
      throw CommandFailure(
        code: .noPermission,
        text: localizer("cli.no-credential", ["address": account.jid.description]))
    }
    return (account, credentials)
  }

  /// Refuses a password of the command line without an account.
  /// - Throws: `CommandFailure`.
  func checkGivenAccount() async throws {
    guard options.account == nil, settings.account.address == nil else { return }
    // A list that cannot be read is reported on the screen.
    guard let accounts = try? await accounts.accounts(), accounts.isEmpty else { return }
    throw CommandFailure(code: .usage, text: localizer("cli.password-without-account"))
  }

  /// Returns whether an account may be signed in to without asking. Where that is unknown, one
  /// that was signed in to before may: problems are reported when its connection begins.
  func maySignIn(to account: JID) async throws -> Bool {
    do { return try await credentials.hasCredential(for: account) } catch is SecretServiceError {
      return try await accounts.accounts().contains { $0.jid.bare == account.bare }
    }
  }

  /// Signs in with what is kept of `account`, and renews that where it has expired.
  func credentialUse(of account: Account) -> CredentialUse {
    CredentialUse(
      of: account, in: credentials, renewal: renewal, log: log)
  }

  // MARK: - Signing out

  /// The longest time that a store of secrets may take to sign out.
  private static let forgettingLimit = Duration.seconds(15)
  /// The longest time that servers may take to withdraw tokens.
  private static let withdrawalLimit = Duration.seconds(5)

  /// Deletes the account's secret, and revokes its tokens where the server can. Neither a failing
  /// store nor an unreachable server prevents signing out: a token then lasts until it expires.
  /// - Returns: what is left on this computer and has to be removed by hand, mostly nothing; and
  ///   the report of a token that is still valid because no server has revoked it.
  func signedOut(of jid: JID) async -> (left: [NatterError], isStillGood: NatterError?) {
    var left: [NatterError] = []
    var credential: Credential?
    do {
      credential = try await limited(to: Self.forgettingLimit) { [credentials] in
        try await credentials.credential(for: jid)
      }
    } catch {
      log.warning("what is kept could not be read, so no token is withdrawn: \(Self.key(error))")
    }
    do {
      try await limited(to: Self.forgettingLimit) { [credentials] in
        try await credentials.removeCredential(for: jid)
      }
    } catch {
      log.error("what is kept could not be removed: \(Self.key(error))")
      left.append(secretLeft(of: jid, because: error))
    }
    return (left, await withdraw(credential, of: jid))
  }

  /// Errors may quote what a program said: the log gets their kind only.
  private static func key(_ error: any Error) -> String {
    NatterError(reporting: error, key: "error.unexpected").key
  }

  /// - Throws: what `work` throws, and `SecretServiceError.timedOut` after `limit`.
  private func limited<Result: Sendable>(
    to limit: Duration, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw SecretServiceError.timedOut
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw SecretServiceError.timedOut }
      return result
    }
  }

  /// The error of a secret that could not be removed: where it is, and how to remove it by hand.
  func secretLeft(of jid: JID, because error: any Error) -> NatterError {
    let reason = NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    var arguments = [
      "account": jid.bare.description, "reason": localizer(reason.key, reason.arguments),
    ]
    if settings.account.secrets == .desktop, !(error is ConfigurationError) {
      return NatterError(.storage, "error.signout.desktop", arguments)
    }
    arguments["path"] = paths.data.appending(path: "credentials").path
    return NatterError(.storage, "error.signout.file", arguments)
  }

  /// The kind of the error, without text of its source.
  private nonisolated static func kind(of error: any Error) -> String {
    (error as? ConnectionProblem).map { "\($0.kind)" } ?? "\(type(of: error))"
  }

  /// - Returns: the error to show if a token was not revoked.
  private func withdraw(_ credential: Credential?, of jid: JID) async -> NatterError? {
    guard credential?.token != nil || credential?.returning != nil else { return nil }
    // Without the list of accounts the server is unknown.
    let account = ((try? await accounts.accounts()) ?? []).first { $0.jid.bare == jid.bare }
    let (tokens, connector) = (tokens, connector)
    do {
      let isDone = try await limited(to: Self.withdrawalLimit) { [log] in
        var isDone = true
        if let token = credential?.token {
          // Where there is no way to withdraw it (RFC 8414 §2), nothing is asked and nothing fails.
          isDone = token.login.revocationEndpoint != nil
          do { try await tokens.revoke(token) } catch {
            // A server may quote the token in its refusal.
            log.warning("the token was not withdrawn: \(Self.kind(of: error))")
            isDone = false
          }
        }
        if let token = credential?.returning, let account, !account.isLocal {
          do { try await connector.withdraw(token, of: account) } catch {
            log.warning("the token for coming back was not withdrawn: \(Self.kind(of: error))")
            // A token that the server refuses is of no use any more.
            if (error as? ConnectionProblem)?.asksForCredentials != true { isDone = false }
          }
        }
        return isDone
      }
      if isDone { return nil }
    } catch {
      log.warning("the tokens were not withdrawn in time")
    }
    return stillGood(credential, of: jid)
  }

  /// The error to show for a token that was not revoked; `nil` if it has expired for good.
  func stillGood(_ credential: Credential?, of jid: JID, now: Date = Date()) -> NatterError? {
    let account = jid.bare.description
    guard let token = credential?.token, credential?.returning == nil, token.refreshToken == nil,
      let end = token.expiresAt
    else {
      return NatterError(.offline, "error.signout.token", ["account": account], retry: .never)
    }
    if end <= now { return nil }
    guard token.login.revocationEndpoint == nil else {
      return NatterError(.offline, "error.signout.token", ["account": account], retry: .never)
    }
    let format = ItemFormat(localizer: localizer, account: jid)
    return NatterError(
      .offline, "error.signout.tokenUntil",
      ["account": account, "time": format.moment(end, now: now)], retry: .never)
  }

  /// The longest wait for the screen of another Natter to close an account that it leaves.
  private static let leavingLimit = LockRetryPolicy(limit: .seconds(15))

  /// Has another Natter that has the account open leave it, and waits until it has.
  /// - Parameter limit: how long that one may take to answer.
  /// - Returns: the warning to show if the user goes on with the account all the same.
  func stillOpen(_ account: JID, within limit: Duration = InstanceMessenger.limit) async
    -> NatterError?
  {
    let file = databaseFile(of: account).path
    guard (try? AccountDatabase.checkUnused(file)) == nil else { return nil }
    let messenger = InstanceMessenger(MessageSpool(besideDatabase: file), within: limit)
    let patience = await messenger.hand("", as: .signOut) ? Self.leavingLimit : .none
    // The one that had it may have ended meanwhile, or another one have begun.
    do { try await patience.open { try AccountDatabase.checkUnused(file) } } catch {
      guard case StorageError.locked(let holder) = error else { return nil }
      return NatterError(
        .storage, "error.signout.open",
        ["account": account.bare.description, "pid": holder.map { String($0) } ?? "?"])
    }
    return nil
  }

  /// Deletes the data of an account on this computer: its messages, everything else in its
  /// database, and its sign-in. No program may have it open.
  /// - Throws: the system's error when a file is there and cannot be deleted.
  func deleteData(of account: JID) async throws {
    let file = databaseFile(of: account).path
    // Thumbnails of other accounts are made anew when they are looked at.
    let names = AccountRestore.files(of: file) + DatabaseFiles.paths(of: file) + ["\(file).lock"]
    for name in names + [MessageSpool(besideDatabase: file).folder, thumbnails.path]
    where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
    // Last: a file of these that cannot be read keeps no message on the disk.
    try await signIns.forget(account)
  }

  /// The error to show when that failed.
  func dataLeft(of account: JID) -> NatterError {
    NatterError(
      .storage, "error.signout.data",
      ["account": account.bare.description, "path": databaseFile(of: account).path])
  }

  /// The same of the list of accounts.
  func accountLeft(_ account: JID, because error: any Error) -> NatterError {
    let reason = NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    return NatterError(
      .storage, "error.signout.account",
      [
        "account": account.bare.description,
        "reason": localizer(reason.key, reason.arguments),
        "path": paths.data.appending(path: "accounts.toml").path,
      ])
  }
}
