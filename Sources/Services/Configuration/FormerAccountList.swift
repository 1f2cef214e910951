import FoundationEssentials
import NatterCore
import XMPP

/// The JSON list of accounts of the first versions. It is read once and converted.
struct FormerAccountList {
  private struct Content: Decodable {
    let version: Int
    let defaultAccount: String?
    let accounts: [Entry]
  }

  private struct Entry: Decodable {
    let address: String
    let server: String?
    let port: Int?
    let tls: String
    let caFile: String?
    let isLocal: Bool?
    let signsInAtStart: Bool?
  }

  private struct Version: Decodable { let version: Int }

  let defaultAccount: String?
  let accounts: [Account]

  /// - Returns: `nil` if `data` is not a JSON object.
  /// - Throws: `ConfigurationError` if it is one, but not the list.
  init?(_ data: Data, path: String) throws(ConfigurationError) {
    guard data.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") else {
      return nil
    }
    let decoder = JSONDecoder()
    guard let version = try? decoder.decode(Version.self, from: data).version else {
      throw .damaged(path: path)
    }
    guard version <= 1 else { throw .newer(path: path) }
    guard let content = try? decoder.decode(Content.self, from: data) else {
      throw .damaged(path: path)
    }
    var accounts: [Account] = []
    for entry in content.accounts {
      guard let jid = JID(parsing: entry.address),
        let security = Account.Security(rawValue: entry.tls)
      else { throw .damaged(path: path) }
      accounts.append(
        Account(
          jid: jid.bare, server: entry.server, port: entry.port, security: security,
          caFile: entry.caFile, isLocal: entry.isLocal ?? false,
          signsInAtStart: entry.signsInAtStart ?? true))
    }
    self.accounts = accounts
    defaultAccount = content.defaultAccount
  }
}
