import BoundedText
import Crypto

/// The client side of an authentication, independent of its framing: `<auth/>` (RFC 6120 §6) or
/// `<authenticate/>` (XEP-0388).
struct SASLClient {
  private enum Method {
    case scram(SCRAMClient)
    /// A mechanism with a single message.
    case message(String)
    /// The same, but a challenge with the reason of a failure has to be answered (RFC 7628 §3.2.3).
    case bearer(String)
    /// A token for signing in again; the server has to prove that it knows it too.
    case hashedToken(HashedToken)
  }

  /// The mechanism's name on the wire.
  let mechanism: String
  /// The proof of a sign-in with a password; `nil` for tokens.
  let proof: SignInProof?
  /// The record of this authentication for the session that results from it.
  var authentication: Authentication { Authentication(mechanism: mechanism, proof: proof) }
  /// The reason why an access token is rejected, once the server has sent it.
  private(set) var refusal: TokenRefusal?
  /// Indicates whether the secret is an access token.
  let usesAccessToken: Bool
  private var method: Method
  private var hasAnswered = false
  private var isVerified = false

  /// - Parameter announcement: The mechanisms and bindings that the server offered.
  /// - Throws: `.scram(.unusablePassword)`.
  init(
    _ attempt: SASLAttempt, options: StreamOptions, announcement: SASLAnnouncement,
    crypto: CryptoLibrary
  ) throws(StreamFailure) {
    let mechanism = attempt.mechanism
    self.mechanism = mechanism.rawValue
    proof = attempt.proof
    usesAccessToken = mechanism.takesToken
    let secret =
      switch options.secret {
      case .password(let text), .accessToken(let text): text
      }
    if let hash = mechanism.hash {
      do {
        method = .scram(
          try SCRAMClient(
            hash, user: options.user, password: secret, crypto: crypto, binding: attempt.binding,
            announcement: announcement, requiresAnnouncement: attempt.requiresAnnouncement))
      } catch { throw .scram(error) }
    } else if mechanism == .oauthBearer {
      // The JID, with `=` and `,` escaped according to RFC 5801 §4.
      let address = "\(options.user)@\(options.domain)"
        .replacing("=", with: "=3D").replacing(",", with: "=2C")
      method = .bearer("n,a=\(address),\u{1}auth=Bearer \(secret)\u{1}\u{1}")
    } else {
      method = .message("\0\(options.user)\0\(secret)")
    }
  }

  /// Creates a client that signs in with a hashed token.
  init(_ token: HashedToken) {
    mechanism = token.mechanism
    proof = nil
    usesAccessToken = false
    method = .hashedToken(token)
  }

  /// Returns the initial response.
  func first() throws(StreamFailure) -> [UInt8] {
    switch method {
    case .scram(let scram): return Array(scram.first.utf8)
    case .message(let text), .bearer(let text): return Array(text.utf8)
    case .hashedToken(let token):
      do { return try token.first() } catch { throw .internalFailure("\(error)") }
    }
  }

  /// Returns the response to a challenge.
  mutating func answer(_ challenge: [UInt8]) throws(StreamFailure) -> [UInt8] {
    switch method {
    case .scram(var scram):
      let text = String(bounding: challenge)
      do {
        if hasAnswered {
          // The server's proof comes with the success, or (RFC 5802 as written) in a preceding
          // challenge.
          try scram.verify(text)
          isVerified = true
          return []
        }
        hasAnswered = true
        let final = try scram.final(answering: text)
        method = .scram(scram)
        return Array(final.utf8)
      } catch let error as SCRAMError {
        throw .scram(error)
      } catch {
        throw .internalFailure("\(error)")
      }
    case .bearer:
      refusal = TokenRefusal(json: challenge)
      return [1]
    case .message, .hashedToken: throw .protocolViolation(.breach(.challenge, name: mechanism))
    }
  }

  /// Checks the data of the success: the server's own proof, if the mechanism has any.
  func finish(_ data: [UInt8]?) throws(StreamFailure) {
    switch method {
    case .message, .bearer: return
    case .scram(let scram):
      if isVerified { return }
      guard hasAnswered else { throw .protocolViolation(.breach(.noProof)) }
      do { try scram.verify(String(bounding: data ?? [])) } catch {
        throw .scram(error)
      }
    case .hashedToken(let token):
      let isKnown: Bool
      do { isKnown = try token.isAnswer(data ?? []) } catch {
        throw .internalFailure("\(error)")
      }
      guard isKnown else { throw .scram(.wrongServerSignature) }
    }
  }

  /// Returns the failure of the stream that a SASL failure means.
  func failure(_ failure: SASLFailure) -> StreamFailure {
    usesAccessToken ? .accessToken(failure, refusal) : .authentication(failure)
  }
}
