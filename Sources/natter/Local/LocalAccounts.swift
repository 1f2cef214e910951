import ConnectionService
import Crypto
import Foundation
import LocalServer
import NatterCore
import SessionService
import ViewModels
import XMPP

/// The accounts of the built-in server: made when they are first asked for, with a password nobody has to know.
struct LocalAccounts {
  /// Who one is without `--account`.
  static let defaultName = "me"
  static let domain = "localhost"

  let context: LaunchContext

  /// The account called `name` on the built-in server, which is started when it is not running.
  /// - Throws: `LocalServerFailure`, `ConnectionProblem`, `CommandFailure` for a name that is none.
  func account(named name: String, isFresh: Bool) async throws -> Account {
    guard let jid = JID(userInput: name.contains("@") ? name : "\(name)@\(Self.domain)"),
      jid.local != nil, jid.domain == Self.domain
    else {
      throw CommandFailure(
        code: .usage, text: context.localizer("cli.bad-local-name", ["name": name]))
    }
    let launcher = LocalServerLauncher(
      directory: context.paths.data.appending(path: "local"),
      executable: ResourceLocator.executable, resources: context.resources)
    let server = try await launcher.server(isFresh: isFresh)
    let account = Account(
      jid: jid.bare, server: "127.0.0.1", port: server.port, security: .off, isLocal: true,
      signsInAtStart: false)
    if isFresh {
      try await context.credentials.removeCredential(for: jid.bare)
      try await forgetHistories()
    }
    try await makeSure(of: account)
    return account
  }

  /// Empties what is kept here of the accounts that the server has forgotten. An account of another server of that name,
  /// to which somebody signed in, is none of them.
  private func forgetHistories() async throws {
    let signedIn = Set(
      try await context.accounts.accounts().map { context.databaseFile(of: $0.jid).lastPathComponent })
    let folder = context.paths.data.appending(path: "accounts")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for file in files {
      // `me@localhost.db`, with `-wal` and `-shm` beside it.
      guard let end = file.range(of: "@\(Self.domain).db") else { continue }
      if signedIn.contains(String(file[..<end.upperBound])) { continue }
      try FileManager.default.removeItem(at: folder.appending(path: file))
    }
  }

  /// Registers the account unless its secret is known and still good.
  private func makeSure(of account: Account) async throws {
    if let credential = try await context.credentials.credential(for: account.jid) {
      do {
        try await context.connector.verify(account, credential) { _ in }
        return
      } catch let problem as ConnectionProblem where problem.kind == .wrongPassword {
        // The server's data were emptied since: the account is made again.
      }
    }
    let credential = Credential(password: randomIdentifier(byteCount: 24))
    try await context.connector.register(account, credential, answers: [:])
    try await context.credentials.save(credential, for: account.jid)
  }
}
