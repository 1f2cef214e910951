import FoundationEssentials
import Glibc
import NatterCore
import System
import XMPP

/// Passwords and tokens that the user chose to save, in a file that only its owner may read (0600).
/// Several processes may change it at once, without losing each other's changes.
package actor CredentialFile: CredentialStoring {
  private let path: String
  private let warn: @Sendable (StatusNotice) -> Void

  /// - Parameters:
  ///   - path: the file; it need not exist.
  ///   - warn: called if others could read the file (`notice.credentials.wasReadable`, `path`); its
  ///     permissions are corrected.
  package init(path: String, warn: @escaping @Sendable (StatusNotice) -> Void) {
    self.path = path
    self.warn = warn
  }

  /// - Throws: `ConfigurationError`, like the other methods.
  package func credential(for account: JID) throws -> Credential? {
    try load()[account.bare.description]?.credential
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    try await change { $0[account.bare.description] = CredentialRecord(credential) }
  }

  /// Ignores an account whose credential is not in the file.
  package func replace(_ credential: Credential, for account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { records in
      guard records[account.bare.description] != nil else { return }
      records[account.bare.description] = CredentialRecord(credential)
    }
  }

  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    let address = account.bare.description
    guard try load()[address] != nil else { return }
    try await change { records in
      guard records[address]?.credential.hasSecret(of: known) == true else { return }
      records[address] = CredentialRecord(credential)
    }
  }

  package func removeCredential(for account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { $0[account.bare.description] = nil }
  }

  /// Changes the present content of the file: another process may have written it last.
  private func change(_ edit: (inout [String: CredentialRecord]) -> Void) async throws {
    let lock: PrivateFile.Lock
    do { lock = try await PrivateFile.locked(path) } catch { throw ConfigurationError(error) }
    defer { withExtendedLifetime(lock) {} }
    var records = try load()
    edit(&records)
    try store(records)
  }

  private func load() throws -> [String: CredentialRecord] {
    var isForeign = false
    var wasReadable = false
    let found: Data?
    do {
      found = try PrivateFile.read(path, limit: 1 << 20) { descriptor throws(PrivateFile.Failure) in
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
          throw PrivateFile.Failure(path, errno: errno)
        }
        isForeign = information.st_uid != geteuid()
        wasReadable = information.st_mode & 0o077 != 0
        if wasReadable, !isForeign, fchmod(descriptor, 0o600) != 0 {
          throw PrivateFile.Failure(path, errno: errno)
        }
      }
    } catch {
      throw ConfigurationError(error)
    }
    guard !isForeign else { throw ConfigurationError.foreign(path: path) }
    if wasReadable {
      warn(StatusNotice(.warning, "notice.credentials.wasReadable", ["path": path]))
    }
    guard let found else { return [:] }
    // The decoder's own error quotes the content, so it is dropped.
    guard let records = try? JSONDecoder().decode([String: CredentialRecord].self, from: found)
    else { throw ConfigurationError.damaged(path: path) }
    return records
  }

  private func store(_ records: [String: CredentialRecord]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try PrivateFile.replace(path, with: try encoder.encode(records) + Data("\n".utf8))
    } catch let failure as PrivateFile.Failure {
      throw ConfigurationError(failure)
    }
  }
}
