import FoundationEssentials
import NatterCore
import XMPP

/// The accounts of a profile, in `accounts.json`: 0600, replaced as a whole, read anew at each call.
package actor AccountFile: AccountStoring {
  /// The form this program writes; a file with a higher number is left alone.
  private static let version = 1

  private struct Content: Codable {
    var version = AccountFile.version
    var defaultAccount: String?
    var accounts: [Entry] = []
  }

  private struct Entry: Codable {
    var address: String
    var server: String?
    var port: Int?
    var tls: String
    var caFile: String?
    var isLocal: Bool?
    var signsInAtStart: Bool?
  }

  private struct Version: Decodable { let version: Int }

  private let path: String

  /// - Parameter path: of the file; it need not be there yet.
  package init(path: String) {
    self.path = path
  }

  package func accounts() throws -> [Account] {
    try load().accounts.map(account)
  }

  package func save(_ account: Account) throws {
    var content = try load()
    let entry = Entry(
      address: account.jid.bare.description, server: account.server, port: account.port,
      tls: account.security.rawValue, caFile: account.caFile, isLocal: account.isLocal,
      signsInAtStart: account.signsInAtStart)
    if let index = content.accounts.firstIndex(where: { $0.address == entry.address }) {
      content.accounts[index] = entry
    } else {
      content.accounts.append(entry)
    }
    try store(content)
  }

  package func remove(_ jid: JID) throws {
    var content = try load()
    let address = jid.bare.description
    guard content.accounts.contains(where: { $0.address == address }) else { return }
    content.accounts.removeAll { $0.address == address }
    if content.defaultAccount == address { content.defaultAccount = nil }
    try store(content)
  }

  /// The account that was made the default, or else the first.
  package func defaultAccount() throws -> Account? {
    let content = try load()
    let entry =
      content.accounts.first { $0.address == content.defaultAccount } ?? content.accounts.first
    return try entry.map(account)
  }

  /// An address without an account changes nothing.
  package func setDefault(_ jid: JID) throws {
    var content = try load()
    let address = jid.bare.description
    guard content.accounts.contains(where: { $0.address == address }) else { return }
    content.defaultAccount = address
    try store(content)
  }

  private func account(_ entry: Entry) throws -> Account {
    guard let jid = JID(parsing: entry.address),
      let security = Account.Security(rawValue: entry.tls)
    else { throw ConfigurationError.damaged(path: path) }
    return Account(
      jid: jid.bare, server: entry.server, port: entry.port, security: security,
      caFile: entry.caFile, isLocal: entry.isLocal ?? false,
      signsInAtStart: entry.signsInAtStart ?? true)
  }

  private func load() throws -> Content {
    let data: Data
    do {
      guard let found = try PrivateFile.read(path, limit: 1 << 20) else { return Content() }
      data = found
    } catch {
      throw ConfigurationError(error)
    }
    do {
      let decoder = JSONDecoder()
      guard try decoder.decode(Version.self, from: data).version <= Self.version else {
        throw ConfigurationError.newer(path: path)
      }
      return try decoder.decode(Content.self, from: data)
    } catch is DecodingError {
      throw ConfigurationError.damaged(path: path)
    }
  }

  private func store(_ content: Content) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try PrivateFile.replace(path, with: try encoder.encode(content) + Data("\n".utf8))
    } catch let failure as PrivateFile.Failure {
      throw ConfigurationError(failure)
    }
  }
}
