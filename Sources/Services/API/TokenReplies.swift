import FoundationEssentials

/// The reply of a token endpoint (RFC 6749 §5.1). A required member of the wrong type makes it
/// invalid; an optional one counts as absent.
struct TokenReply: Decodable, Sendable {
  let accessToken: String
  /// Seconds; `nil` if not specified.
  let lifetime: Double?
  let refreshToken: String?
  let scope: String?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case type = "token_type"
    case lifetime = "expires_in"
    case refreshToken = "refresh_token"
    case scope
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try members.decode(String.self, forKey: .accessToken)
    // This program cannot use a token of another type.
    let type = try members.decodeIfPresent(String.self, forKey: .type) ?? "bearer"
    guard type.lowercased() == "bearer", Self.isToken(accessToken) else {
      throw DecodingError.dataCorruptedError(
        forKey: .accessToken, in: members, debugDescription: "no bearer token")
    }
    lifetime = Self.seconds(members, .lifetime)
    refreshToken = (try? members.decode(String.self, forKey: .refreshToken))
      .flatMap { $0.isEmpty ? nil : $0 }
    scope = try? members.decode(String.self, forKey: .scope)
  }

  /// Returns whether it is a valid token: more tolerant than RFC 6750 §2.1, but without characters
  /// that would end a line or a field.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 16_384 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// Returns a number, or one in a string as some servers write it. An invalid duration counts as
  /// absent.
  private static func seconds(
    _ members: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
  ) -> Double? {
    let number =
      (try? members.decode(Double.self, forKey: key))
      ?? (try? members.decode(String.self, forKey: key)).flatMap { Double($0) }
    // Limited to ten years; a longer duration could exceed the range of dates.
    return number.flatMap { $0.isFinite && $0 >= 0 ? min($0, 315_360_000) : nil }
  }
}

/// The reply of a device authorization endpoint (RFC 8628 §3.2).
struct DeviceReply: Decodable, Sendable {
  let deviceCode: String
  let userCode: String
  let address: String
  let completeAddress: String?
  let lifetime: Double
  let interval: Double

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case address = "verification_uri"
    case oldAddress = "verification_url"
    case completeAddress = "verification_uri_complete"
    case lifetime = "expires_in"
    case interval
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    deviceCode = try members.decode(String.self, forKey: .deviceCode)
    userCode = try members.decode(String.self, forKey: .userCode)
    // The name of the member in the drafts, still sent by some servers.
    address =
      try members.decodeIfPresent(String.self, forKey: .address)
      ?? members.decode(String.self, forKey: .oldAddress)
    completeAddress = try? members.decode(String.self, forKey: .completeAddress)
    let lifetime = (try? members.decode(Double.self, forKey: .lifetime)) ?? 600
    self.lifetime = lifetime.isFinite ? min(max(lifetime, 1), 86_400) : 600
    let interval = (try? members.decode(Double.self, forKey: .interval)) ?? 5
    self.interval = interval.isFinite ? min(max(interval, 1), 60) : 5
    guard !deviceCode.isEmpty, !userCode.isEmpty, userCode.utf8.count <= 100 else {
      throw DecodingError.dataCorruptedError(
        forKey: .userCode, in: members, debugDescription: "no code")
    }
  }
}

/// The error reply of a token endpoint (RFC 6749 §5.2).
struct TokenRefusalReply: Decodable, Sendable {
  let error: String
  let description: String?

  private enum CodingKeys: String, CodingKey {
    case error
    case description = "error_description"
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    error = try members.decode(String.self, forKey: .error)
    description = try? members.decode(String.self, forKey: .description)
  }
}

/// The metadata of an authorization server (RFC 8414 §2).
struct LoginMetadata: Decodable, Sendable {
  let issuer: String?
  let tokenEndpoint: String?
  let deviceEndpoint: String?
  let authorizationEndpoint: String?
  let revocationEndpoint: String?
  let registrationEndpoint: String?
  let grants: [String]?
  let scopes: [String]?

  private enum CodingKeys: String, CodingKey {
    case issuer
    case tokenEndpoint = "token_endpoint"
    case deviceEndpoint = "device_authorization_endpoint"
    case authorizationEndpoint = "authorization_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case registrationEndpoint = "registration_endpoint"
    case grants = "grant_types_supported"
    case scopes = "scopes_supported"
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
    issuer = text(.issuer)
    tokenEndpoint = text(.tokenEndpoint)
    deviceEndpoint = text(.deviceEndpoint)
    authorizationEndpoint = text(.authorizationEndpoint)
    revocationEndpoint = text(.revocationEndpoint)
    registrationEndpoint = text(.registrationEndpoint)
    grants = try? members.decode([String].self, forKey: .grants)
    scopes = try? members.decode([String].self, forKey: .scopes)
  }
}

/// The alternative connection methods of a server (XEP-0156 §3), reduced to their URLs.
struct HostMetadata: Decodable, Sendable {
  struct Link: Decodable, Sendable {
    let rel: String?
    let href: String?
  }
  let links: [Link]
}

/// The client id that a registration returns (RFC 7591 §3.2.1).
struct ClientReply: Decodable, Sendable {
  let clientID: String
  private enum CodingKeys: String, CodingKey { case clientID = "client_id" }
}
