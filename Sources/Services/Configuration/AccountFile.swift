import FoundationEssentials
import NatterCore
import System
import TOML
import XMPP

/// The accounts of a profile, in `accounts.toml`: 0600, replaced as a whole, read again at each
/// call.
package actor AccountFile: AccountStoring {
  /// The format version that this program writes; a file with a higher number is not changed.
  private static let version = 1

  private struct Content {
    var defaultAccount: String?
    var accounts: [Account] = []
  }

  private let path: String

  /// - Parameter path: the file; it need not exist.
  package init(path: String) {
    self.path = path
  }

  /// - Throws: `ConfigurationError`, like the other methods.
  package func accounts() throws -> [Account] {
    try load().accounts
  }

  package func save(_ account: Account) async throws {
    try await change { content in
      if let index = content.accounts.firstIndex(where: { $0.jid.bare == account.jid.bare }) {
        content.accounts[index] = account
      } else {
        content.accounts.append(account)
      }
    }
  }

  package func remove(_ jid: JID) async throws {
    guard try load().accounts.contains(where: { $0.jid == jid.bare }) else { return }
    try await change { content in
      content.accounts.removeAll { $0.jid == jid.bare }
      if content.defaultAccount == jid.bare.description { content.defaultAccount = nil }
    }
  }

  /// Returns the default account, or else the first.
  package func defaultAccount() throws -> Account? {
    let content = try load()
    return content.accounts.first { $0.jid.description == content.defaultAccount }
      ?? content.accounts.first
  }

  /// Ignores an address without an account.
  package func setDefault(_ jid: JID) async throws {
    guard try load().accounts.contains(where: { $0.jid == jid.bare }) else { return }
    try await change { content in
      guard content.accounts.contains(where: { $0.jid == jid.bare }) else { return }
      content.defaultAccount = jid.bare.description
    }
  }

  // MARK: - The file

  /// Changes the present content of the file: another process may have written it last.
  private func change(_ edit: (inout Content) -> Void) async throws {
    let lock: PrivateFile.Lock
    do { lock = try await PrivateFile.locked(path) } catch { throw ConfigurationError(error) }
    defer { withExtendedLifetime(lock) {} }
    var content = try load()
    edit(&content)
    try store(content)
  }

  private func load() throws -> Content {
    let data: Data
    do {
      guard let found = try PrivateFile.read(path, limit: 1 << 20) else { return Content() }
      data = found
    } catch {
      throw ConfigurationError(error)
    }
    if let old = try FormerAccountList(data, path: path) {
      let content = Content(defaultAccount: old.defaultAccount, accounts: old.accounts)
      // If it cannot be written now, the old format is read again the next time.
      try? store(content)
      return content
    }
    guard let text = String(data: data, encoding: .utf8),
      let document = try? TOMLDocument.parse(text), let version = document.root["version"]?.integer
    else { throw ConfigurationError.damaged(path: path) }
    guard version <= Self.version else { throw ConfigurationError.newer(path: path) }
    return Content(
      defaultAccount: document.root["default"]?.string,
      accounts: try document.subtables(of: ["account"]).map(account))
  }

  private func account(_ table: TOMLTable) throws(ConfigurationError) -> Account {
    guard let jid = table.path.last.flatMap({ JID(parsing: $0) }),
      let security = Account.Security(rawValue: table["tls"]?.string ?? "auto")
    else { throw .damaged(path: path) }
    return Account(
      jid: jid.bare, server: table["server"]?.string, port: table["port"]?.integer,
      security: security, caFile: table["ca_file"]?.string,
      httpURL: table["http_url"]?.string,
      isLocal: table["local"]?.boolean ?? false,
      signsInAtStart: table["sign_in_at_start"]?.boolean ?? true)
  }

  private func store(_ content: Content) throws {
    var writer = TOMLWriter()
    writer.comment("The accounts of this profile. Natter writes this file anew with each change.")
    writer.set("version", Self.version)
    writer.set("default", content.defaultAccount)
    for account in content.accounts {
      writer.section("account", account.jid.bare.description)
      writer.set("server", account.server)
      writer.set("port", account.port)
      writer.set("tls", account.security.rawValue)
      writer.set("ca_file", account.caFile)
      writer.set("http_url", account.httpURL)
      if account.isLocal { writer.set("local", .boolean(true)) }
      if !account.signsInAtStart { writer.set("sign_in_at_start", .boolean(false)) }
    }
    do { try PrivateFile.replace(path, with: Data(writer.text.utf8)) } catch {
      throw ConfigurationError(error)
    }
  }
}
