import FoundationEssentials
import NatterCore
import XMPP

/// How accounts were signed in to with their passwords, in a file that only its owner may read (0600). It holds no secret.
/// Several programs may change it at once: none loses what another one has written.
///
/// Signing out leaves it as it is: a server that has less to offer when the user signs in again is the case that it is for.
package actor SignInFile: SignInRemembering {
  private let path: String

  /// - Parameter path: of the file; it need not be there yet.
  package init(path: String) { self.path = path }

  /// - Throws: `ConfigurationError`; `.damaged` also where another version wrote what this one does not understand.
  package func signIn(of account: JID) throws -> SignInProof? {
    try load()[account.bare.description]
  }

  package func remember(_ proof: SignInProof, of account: JID) async throws {
    try await change { $0[account.bare.description] = proof }
  }

  package func forget(_ account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { $0[account.bare.description] = nil }
  }

  private func change(_ edit: (inout [String: SignInProof]) -> Void) async throws {
    do {
      let lock = try await PrivateFile.locked(path)
      defer { withExtendedLifetime(lock) {} }
      var records = try load()
      edit(&records)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try PrivateFile.replace(path, with: try encoder.encode(records) + Data("\n".utf8))
    } catch let failure as PrivateFile.Failure {
      throw ConfigurationError(failure)
    }
  }

  private func load() throws -> [String: SignInProof] {
    let found: Data?
    do { found = try PrivateFile.read(path, limit: 1 << 20) } catch {
      throw ConfigurationError(error)
    }
    guard let found else { return [:] }
    guard let records = try? JSONDecoder().decode([String: SignInProof].self, from: found) else {
      throw ConfigurationError.damaged(path: path)
    }
    return records
  }
}
