import FoundationEssentials
import NatterCore
import XMPP

/// The stored form of a credential: a password alone as a JSON string, anything else as an object.
struct CredentialRecord: Codable {
  let credential: Credential

  init(_ credential: Credential) { self.credential = credential }

  init(from decoder: any Decoder) throws {
    if let password = try? decoder.singleValueContainer().decode(String.self) {
      credential = Credential(password: password)
      return
    }
    let wire = try Wire(from: decoder)
    let secret: Credential.Secret
    if let token = wire.token {
      secret = .token(token.token)
    } else if let password = wire.password {
      secret = .password(password)
    } else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no secret"))
    }
    credential = Credential(secret, returning: wire.returning?.token)
  }

  func encode(to encoder: any Encoder) throws {
    if let password = credential.password, credential.returning == nil {
      var container = encoder.singleValueContainer()
      return try container.encode(password)
    }
    try Wire(
      password: credential.password, token: credential.token.map(Wire.Token.init),
      returning: credential.returning.map(Wire.Returning.init)
    ).encode(to: encoder)
  }

  private struct Wire: Codable {
    var password: String?
    var token: Token?
    var returning: Returning?

    struct Token: Codable {
      var value: String
      var expiresAt: Date?
      var refreshToken: String?
      var scope: String?
      var login: HTTPLogin

      init(_ token: AccessToken) {
        value = token.value
        expiresAt = token.expiresAt
        refreshToken = token.refreshToken
        scope = token.scope
        login = token.login
      }

      var token: AccessToken {
        AccessToken(
          value: value, expiresAt: expiresAt, refreshToken: refreshToken, scope: scope,
          login: login)
      }
    }

    struct Returning: Codable {
      var mechanism: String
      var value: String
      var expiry: Date?
      var clientID: String
      var mechanisms: [String]
      var offersBind: Bool
      var bindFeatures: [String]
      var offersResumption: Bool

      init(_ token: XEP0484Token) {
        mechanism = token.mechanism
        value = token.token
        expiry = token.expiry
        clientID = token.clientID
        mechanisms = token.offer.tokenMechanisms
        offersBind = token.offer.offersBind
        bindFeatures = token.offer.bindFeatures.sorted()
        offersResumption = token.offer.offersResumption
      }

      var token: XEP0484Token {
        XEP0484Token(
          mechanism: mechanism, token: value, expiry: expiry, clientID: clientID,
          offer: XEP0388Offer(
            offersBind: offersBind, bindFeatures: Set(bindFeatures),
            offersResumption: offersResumption, tokenMechanisms: mechanisms))
      }
    }
  }
}
