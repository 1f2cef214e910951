import Crypto
import XMPP

/// Sign-in with an access token (RFC 7628).
extension SASLExchange {
  /// Checks `n,a=user@domain,^Aauth=Bearer TOKEN^A^A`. For an invalid token it returns a challenge
  /// with the reason.
  func bearer(_ message: String, keys: some KeyReading) throws -> Outcome {
    let parts = message.split(separator: "\u{1}", omittingEmptySubsequences: false)
    let header = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count >= 4, header.count == 3, ["n", "y"].contains(header[0]),
      let value = parts.dropFirst().first(where: { $0.lowercased().hasPrefix("auth=bearer ") })
    else { return .failure(.malformedRequest) }
    let hash = try setting.passwords.crypto.hash(
      Array(value.dropFirst("auth=bearer ".count).utf8), by: .sha256)
    guard let account = try keys.account(holding: hash, at: setting.now()) else {
      return .challenge(Base64.encode(Array(refusal.utf8)))
    }
    if header[1].hasPrefix("a=") {
      guard let address = Self.unescaped(header[1].dropFirst(2)), isAddress(address, of: account)
      else { return .failure(.invalidAuthzid) }
    }
    return .success(account: account, "")
  }

  /// The path of the authorization server's metadata (RFC 8414 §3).
  static let metadataPath = "/.well-known/oauth-authorization-server"

  private var refusal: String {
    let address = setting.loginAddress.map {
      ",\"openid-configuration\":\"\($0)\(Self.metadataPath)\""
    }
    return "{\"status\":\"invalid_token\",\"scope\":\"xmpp\"\(address ?? "")}"
  }
}
