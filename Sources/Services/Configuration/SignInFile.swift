import FoundationEssentials
import NatterCore
import System
import XMPP

/// The mechanisms with which accounts signed in with their passwords, in a file that only its owner
/// may read (0600). It holds no secret. Several processes may change it at once, without losing
/// each other's changes.
///
/// Signing out leaves it unchanged: a server that offers less when the user signs in again is the
/// case that it detects.
package actor SignInFile: SignInRemembering {
  private let path: String

  /// - Parameter path: the file; it need not exist.
  package init(path: String) { self.path = path }

  /// - Throws: `ConfigurationError`; `.damaged` also for an entry of another version that this one
  ///   does not understand.
  package func signIn(of account: JID) throws -> SignInProof? {
    try load()[account.bare.description].map { try proof(of: $0) }
  }

  package func remember(_ proof: SignInProof, of account: JID) async throws {
    try await change { records in
      // An entry of another version is not replaced, because this one may be weaker.
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

/// The entry of one account. An entry of another version is kept, and does not affect other
/// accounts.
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

/// Any JSON value, preserved unchanged.
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
