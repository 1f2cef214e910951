import FoundationEssentials
import Glibc
import NatterCore
import XMPP

/// Passwords and tokens that a person wanted remembered, in a file that only its owner may read (0600). Several programs may
/// change it at once: none loses what another one has written.
package actor CredentialFile: CredentialStoring {
  private let path: String
  private let warn: @Sendable (StatusNotice) -> Void

  /// - Parameters:
  ///   - path: of the file; it need not be there yet.
  ///   - warn: is told when others could read the file (`notice.credentials.wasReadable`, `path`); they no longer can.
  package init(path: String, warn: @escaping @Sendable (StatusNotice) -> Void) {
    self.path = path
    self.warn = warn
  }

  package func credential(for account: JID) throws -> Credential? {
    try load()[account.bare.description]?.credential
  }

  package func save(_ credential: Credential, for account: JID) async throws {
    try await change { $0[account.bare.description] = CredentialRecord(credential) }
  }

  /// An account whose credential is not in the file does not come into it this way.
  package func replace(_ credential: Credential, for account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { records in
      guard records[account.bare.description] != nil else { return }
      records[account.bare.description] = CredentialRecord(credential)
    }
  }

  package func removeCredential(for account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { $0[account.bare.description] = nil }
  }

  /// Changes what the file holds now, whoever wrote it last: another Natter may have.
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
    // The decoder's own error quotes the content: it goes no further.
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
