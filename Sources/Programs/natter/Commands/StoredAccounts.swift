import Configuration
import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// An account whose data is read.
nonisolated struct StoredAccount: Sendable {
  /// The bare address.
  let jid: JID
  /// `nil`: nothing of the account is stored yet.
  let database: AccountDatabase?
}

/// Finds the accounts that a reading command is for, and opens what is stored of them.
struct StoredAccounts {
  let context: LaunchContext

  /// Returns the account of `--account`, or else the default one.
  /// - Throws: `StorageError`; `CommandFailure` when there is no account.
  func one() async throws -> StoredAccount {
    try await open(address())
  }

  /// Returns the bare address of the account that `one` opens.
  /// - Throws: as `one` does.
  func address() async throws -> JID {
    guard let jid = try await context.choice.account()?.jid.bare else { throw noAccount }
    let file = context.databaseFile(of: jid).path
    if !FileManager.default.fileExists(atPath: file) { try await check(jid) }
    return jid
  }

  /// Returns the account of `--account`, or else all accounts, the default one first.
  /// - Throws: as `one` does.
  func all() async throws -> [StoredAccount] {
    guard context.options.account == nil else { return [try await one()] }
    guard let first = try await context.choice.account() else { throw noAccount }
    let others = try await context.accounts.accounts().map(\.jid).filter { $0 != first.jid }
    var accounts: [StoredAccount] = []
    for jid in [first.jid] + others { accounts.append(try await open(jid)) }
    return accounts
  }

  private func open(_ jid: JID) async throws -> StoredAccount {
    StoredAccount(
      jid: jid.bare,
      database: try await AccountDatabase.openReading(at: context.databaseFile(of: jid).path))
  }

  /// Checks that an account without data is one of this profile.
  private func check(_ jid: JID) async throws {
    guard context.settings.account.address != jid,
      try await !context.accounts.accounts().contains(where: { $0.jid == jid })
    else { return }
    throw CommandFailure(
      code: .noPermission,
      text: context.localizer("cli.no-such-account", ["address": jid.description]))
  }

  private var noAccount: CommandFailure {
    CommandFailure(code: .noPermission, text: context.localizer("cli.no-accounts"))
  }
}
