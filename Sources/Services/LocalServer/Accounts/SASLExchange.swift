import Crypto
import FoundationEssentials
import XMPP

/// One sign-in attempt of a client: the server's side of SCRAM (RFC 5802, RFC 7677), PLAIN (RFC
/// 4616) and OAUTHBEARER (RFC 7628).
struct SASLExchange: Sendable {
  /// The dependencies of every attempt.
  struct Setting: Sendable {
    let passwords: Passwords
    /// Returns the server's part of a nonce.
    let nonce: @Sendable () -> String
    /// Seconds since 1970.
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// The URL at which clients obtain tokens; `nil` if there is none.
    var loginAddress: String?

    init(passwords: Passwords, nonce: @escaping @Sendable () -> String) {
      self.passwords = passwords
      self.nonce = nonce
    }
  }

  /// The conditions of RFC 6120 §6.5 that the server sends.
  enum Failure: String, Equatable, Sendable {
    case aborted
    case incorrectEncoding = "incorrect-encoding"
    case invalidAuthzid = "invalid-authzid"
    case invalidMechanism = "invalid-mechanism"
    case malformedRequest = "malformed-request"
    case notAuthorized = "not-authorized"
  }

  /// The server's answer; texts are Base64, as on the wire.
  enum Outcome: Equatable {
    case challenge(String)
    case success(account: String, String)
    case failure(Failure)
  }

  /// The mechanisms that the server offers, the strongest first.
  static let mechanisms = ["SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "OAUTHBEARER"]

  private enum State {
    case started
    /// The client sent no initial response, so its first message is expected.
    case awaitingFirst
    case awaitingProof(Conversation)
    /// A token was refused; the client still has to acknowledge the error (RFC 7628 §3.2.3).
    case awaitingRegret
    case over
  }

  /// The result of the first two messages of SCRAM.
  private struct Conversation {
    let account: String
    let isKnown: Bool
    let keys: StoredKeys
    let nonce: String
    /// `client-first-message-bare,server-first-message`.
    let messages: String
    /// The client's GS2 header, including its channel-binding flag, which its last message repeats.
    let header: String
  }

  private let mechanism: String
  private let domain: String
  let setting: Setting
  private var state = State.started

  init(mechanism: String, domain: String, _ setting: Setting) {
    self.mechanism = mechanism
    self.domain = domain
    self.setting = setting
  }

  /// Handles `<auth/>`. The text is empty without an initial response.
  mutating func begin(_ text: String, keys: some KeyReading) throws -> Outcome {
    guard Self.mechanisms.contains(mechanism) else { return .failure(.invalidMechanism) }
    guard !text.isEmpty else {
      state = .awaitingFirst
      return .challenge("")
    }
    return try first(text, keys: keys)
  }

  /// Handles `<response/>`.
  mutating func respond(_ text: String, keys: some KeyReading) throws -> Outcome {
    switch state {
    case .awaitingFirst: return try first(text, keys: keys)
    case .awaitingProof(let conversation):
      state = .over
      return try finish(conversation, text)
    case .awaitingRegret:
      state = .over
      return .failure(.notAuthorized)
    case .started, .over: return .failure(.malformedRequest)
    }
  }

  private mutating func first(_ text: String, keys: some KeyReading) throws -> Outcome {
    state = .over
    // RFC 6120 §6.4.2: a single "=" represents an empty response.
    guard let bytes = text == "=" ? [] : Base64.decode(text), bytes.count <= 4096 else {
      return .failure(.incorrectEncoding)
    }
    guard let message = String(validating: bytes, as: UTF8.self) else {
      return .failure(.malformedRequest)
    }
    if mechanism == "OAUTHBEARER" {
      let outcome = try bearer(message, keys: keys)
      if case .challenge = outcome { state = .awaitingRegret }
      return outcome
    }
    return mechanism == "PLAIN"
      ? try plain(message, keys: keys) : try challenge(message, keys: keys)
  }

  // MARK: PLAIN

  private func plain(_ message: String, keys: some KeyReading) throws -> Outcome {
    let parts = message.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else {
      return .failure(.malformedRequest)
    }
    guard let account = name(parts[1]) else { return .failure(.notAuthorized) }
    guard parts[0].isEmpty || isAddress(parts[0], of: account) else {
      return .failure(.invalidAuthzid)
    }
    guard let stored = try keys.keys(of: account, for: "SCRAM-SHA-256"),
      try setting.passwords.matches(parts[2], stored, by: .sha256)
    else { return .failure(.notAuthorized) }
    return .success(account: account, "")
  }

  // MARK: SCRAM

  private var function: HashFunction { mechanism == "SCRAM-SHA-256" ? .sha256 : .sha1 }

  /// Answers the client's first message, `n,,n=user,r=nonce`.
  private mutating func challenge(_ message: String, keys: some KeyReading) throws -> Outcome {
    let parts = message.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return .failure(.malformedRequest) }
    // No -PLUS is offered, so "y" (the client supports it, the server does not) equals "n".
    guard parts[0] == "n" || parts[0] == "y" else { return .failure(.malformedRequest) }
    let bare = parts[2].split(separator: ",", omittingEmptySubsequences: false)
    guard bare.count >= 2, bare[0].hasPrefix("n="), bare[1].hasPrefix("r="), bare[1].count > 2,
      let user = Self.unescaped(bare[0].dropFirst(2))
    else { return .failure(.malformedRequest) }
    guard let account = name(user) else { return .failure(.notAuthorized) }
    if parts[1].hasPrefix("a=") {
      guard let address = Self.unescaped(parts[1].dropFirst(2)), isAddress(address, of: account)
      else { return .failure(.invalidAuthzid) }
    } else if !parts[1].isEmpty {
      return .failure(.malformedRequest)
    }

    let stored = try keys.keys(of: account, for: mechanism)
    let used = try stored ?? decoy(for: account, key: keys.decoyKey())
    let nonce = String(bare[1].dropFirst(2)) + setting.nonce()
    let answer = "r=\(nonce),s=\(Base64.encode(used.salt)),i=\(used.iterations)"
    state = .awaitingProof(
      Conversation(
        account: account, isKnown: stored != nil, keys: used, nonce: nonce,
        messages: "\(parts[2]),\(answer)", header: "\(parts[0]),\(parts[1]),"))
    return .challenge(Base64.encode(Array(answer.utf8)))
  }

  /// Checks the client's last message, `c=biws,r=nonce,p=proof`.
  private func finish(_ conversation: Conversation, _ text: String) throws -> Outcome {
    guard let bytes = Base64.decode(text), let message = String(validating: bytes, as: UTF8.self)
    else { return .failure(.incorrectEncoding) }
    guard let comma = message.ranges(of: ",p=").last else {
      return .failure(.malformedRequest)
    }
    let withoutProof = message[..<comma.lowerBound]
    let parts = withoutProof.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].hasPrefix("c="), parts[1].hasPrefix("r="),
      let proof = Base64.decode(String(message[comma.upperBound...]))
    else { return .failure(.malformedRequest) }
    guard Base64.decode(String(parts[0].dropFirst(2))) == Array(conversation.header.utf8),
      parts[1].dropFirst(2) == conversation.nonce, proof.count == function.byteCount
    else { return .failure(.notAuthorized) }

    let crypto = setting.passwords.crypto
    let signed = Array("\(conversation.messages),\(withoutProof)".utf8)
    let signature = try crypto.hmac(signed, key: conversation.keys.storedKey, by: function)
    let clientKey = zip(proof, signature).map { $0 ^ $1 }
    let storedKey = try crypto.hash(clientKey, by: function)
    guard isEqualInConstantTime(storedKey, conversation.keys.storedKey), conversation.isKnown
    else { return .failure(.notAuthorized) }
    let verifier = try crypto.hmac(signed, key: conversation.keys.serverKey, by: function)
    return .success(
      account: conversation.account,
      Base64.encode(Array("v=\(Base64.encode(verifier))".utf8)))
  }

  /// Returns keys for an account that does not exist. They are the same each time, so that the
  /// challenge does not reveal which accounts exist.
  private func decoy(for account: String, key: [UInt8]) throws -> StoredKeys {
    let crypto = setting.passwords.crypto
    let salt = try crypto.hmac(Array(account.utf8), key: key, by: .sha256)
    return StoredKeys(
      salt: Array(salt.prefix(16)), iterations: setting.passwords.iterations,
      storedKey: try crypto.hash(salt, by: function), serverKey: salt)
  }

  // MARK: Names

  /// Returns the prepared local part; some clients send their whole address as the user name.
  private func name(_ user: String) -> String? {
    if let address = Address.parse(user), address.local != nil {
      return address.domain == domain ? address.local : nil
    }
    return Address.parse("\(user)@\(domain)")?.local
  }

  func isAddress(_ text: String, of account: String) -> Bool {
    Address.parse(text)?.bare == JID(local: account, domain: domain)
  }

  /// Returns a user name with its `=2C` and `=3D` decoded (RFC 5802 §5.1), or `nil` for any other
  /// `=`.
  static func unescaped(_ text: Substring) -> String? {
    var result = ""
    var rest = text
    while let character = rest.first {
      if character == "=" {
        if rest.hasPrefix("=2C") {
          result += ","
        } else if rest.hasPrefix("=3D") {
          result += "="
        } else {
          return nil
        }
        rest = rest.dropFirst(3)
      } else {
        result.append(character)
        rest = rest.dropFirst()
      }
    }
    return result.isEmpty ? nil : result
  }
}
