import Crypto
import FoundationEssentials
import NatterCore
import SessionService
import Text
import ViewModels
import XMPP

/// The accounts of the built-in server: created when they are first used, with a generated
/// password.
struct LocalAccounts {
  /// The account's name without `--account`.
  static let defaultName = "me"
  static let domain = "localhost"
  /// The account that explains the built-in server.
  static let guideName = "natter"
  static let guide = JID(local: guideName, domain: domain)

  let context: LaunchContext

  /// Finds or starts the server.
  var launcher: LocalServerLauncher {
    LocalServerLauncher(
      directory: context.paths.data.appending(path: "local"),
      executable: ResourceLocator.executable, resources: context.resources,
      language: context.localizer.tag,
      program: ProgramCall.text(
        name: ProgramArguments.name, executable: ResourceLocator.executable,
        searchPath: context.environment["PATH"] ?? "", profile: context.options.profile))
  }

  /// Connects the accounts of the built-in server.
  var connector: LocalConnector {
    LocalConnector(over: context.connector, launcher: launcher, localizer: context.localizer)
  }

  /// The account called `name` on the built-in server, with its secret stored. The first connection
  /// registers it there.
  /// - Throws: `LocalServerFailure` when the server should start with empty data and cannot,
  ///   `CommandFailure` for an invalid name.
  func account(named name: String, isFresh: Bool) async throws -> Account {
    let jid = try address(named: name)
    if isFresh {
      _ = try await launcher.server(isFresh: true)
      try await forgetHistories()
    }
    // Stored before it is used: an account cannot be recovered without its secret.
    if try await context.credentials.credential(for: jid.bare) == nil {
      let credential = Credential(password: randomIdentifier(byteCount: 24))
      try await context.credentials.save(credential, for: jid.bare)
    }
    return Account(
      jid: jid.bare, server: "127.0.0.1", security: .off, isLocal: true, signsInAtStart: false)
  }

  /// - Throws: `CommandFailure` for an invalid name, or the guide's: its account would be in
  ///   conversation with itself.
  func address(named name: String) throws(CommandFailure) -> JID {
    guard let jid = JID(userInput: name.contains("@") ? name : "\(name)@\(Self.domain)"),
      let local = jid.local, jid.domain == Self.domain
    else {
      throw CommandFailure(
        code: .usage, text: context.localizer("cli.bad-local-name", ["name": name]))
    }
    guard local != Self.guideName else {
      throw CommandFailure(code: .usage, text: context.localizer("cli.guide-name", ["name": name]))
    }
    return jid
  }

  /// Deletes the local data of the accounts that the server has forgotten, but not of a signed-in
  /// account on another server of that name.
  private func forgetHistories() async throws {
    let signedIn = Set(
      try await context.accounts.accounts().map {
        context.databaseFile(of: $0.jid).lastPathComponent
      })
    let folder = context.paths.data.appending(path: "accounts")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for file in files {
      // `me@localhost.db`, with `-wal` and `-shm` beside it.
      guard let end = file.firstRange(of: "@\(Self.domain).db") else { continue }
      if signedIn.contains(String(file[..<end.upperBound])) { continue }
      // Files that the user set aside, and copies from before a change of the schema, are theirs.
      let rest = file[end.upperBound...]
      if rest.hasPrefix(".set-aside-") || rest.hasSuffix(".backup") { continue }
      // A deleted lock excludes no other process: the next one would lock a new file.
      if file.hasSuffix(".lock") { continue }
      try FileManager.default.removeItem(at: folder.appending(path: file))
    }
  }
}
