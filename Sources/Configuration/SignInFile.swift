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
    try load()[account.bare.description].map { try proof(of: $0) }
  }

  package func remember(_ proof: SignInProof, of account: JID) async throws {
    try await change { records in
      // What another version wrote is not replaced by what is less, as far as this one can tell.
      if let before = records[account.bare.description] { _ = try self.proof(of: before) }
      records[account.bare.description] = .known(proof)
    }
  }

  package func forget(_ account: JID) async throws {
    guard try load()[account.bare.description] != nil else { return }
    try await change { $0[account.bare.description] = nil }
  }

  private func proof(of record: Record) throws -> SignInProof {
    guard case .known(let proof) = record else { throw ConfigurationError.damaged(path: path) }
    return proof
  }

  private func change(_ edit: (inout [String: Record]) throws -> Void) async throws {
    do {
      let lock = try await PrivateFile.locked(path)
      defer { withExtendedLifetime(lock) {} }
      var records = try load()
      try edit(&records)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try PrivateFile.replace(path, with: try encoder.encode(records) + Data("\n".utf8))
    } catch let failure as PrivateFile.Failure {
      throw ConfigurationError(failure)
    }
  }

  private func load() throws -> [String: Record] {
    let found: Data?
    do { found = try PrivateFile.read(path, limit: 1 << 20) } catch {
      throw ConfigurationError(error)
    }
    guard let found else { return [:] }
    guard let records = try? JSONDecoder().decode([String: Record].self, from: found) else {
      throw ConfigurationError.damaged(path: path)
    }
    return records
  }
}

/// What the file has of one account. What another version wrote there stays, and is no other account's trouble.
private enum Record: Codable {
  case known(SignInProof)
  case unknown(JSONValue)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let proof = try? container.decode(SignInProof.self) {
      self = .known(proof)
    } else {
      self = .unknown(try container.decode(JSONValue.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .known(let proof): try container.encode(proof)
    case .unknown(let value): try container.encode(value)
    }
  }
}

/// Any JSON, kept as it came.
private indirect enum JSONValue: Codable {
  case text(String), number(Double), flag(Bool), none
  case list([JSONValue]), members([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let one = try decoder.singleValueContainer()
    if one.decodeNil() {
      self = .none
    } else if let value = try? one.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? one.decode(Double.self) {
      self = .number(value)
    } else if let value = try? one.decode(String.self) {
      self = .text(value)
    } else if let value = try? one.decode([JSONValue].self) {
      self = .list(value)
    } else {
      self = .members(try one.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var one = encoder.singleValueContainer()
    switch self {
    case .text(let value): try one.encode(value)
    case .number(let value): try one.encode(value)
    case .flag(let value): try one.encode(value)
    case .none: try one.encodeNil()
    case .list(let value): try one.encode(value)
    case .members(let value): try one.encode(value)
    }
  }
}
