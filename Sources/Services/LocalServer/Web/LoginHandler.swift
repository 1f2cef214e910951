import Crypto
import FoundationEssentials
import SQLite
import Synchronization
import XMPP

/// The sign-in over HTTP: metadata (RFC 8414), tokens for passwords, refresh tokens, device codes
/// and authorization codes (RFC 6749, 7636, 8628), client registration (RFC 7591) and revocation
/// (RFC 7009). On loopback only, like the rest of this server.
struct LoginHandler: WebHandling {
  /// `http://127.0.0.1:PORT`
  let address: String
  let domain: String
  let database: Database
  let passwords: Passwords
  /// The lifetime of an access token in seconds; a request can ask for less.
  let lifetime: Double
  /// Seconds since 1970.
  let now: @Sendable () -> Double
  /// The texts of its pages.
  let texts: ServerSettings.Texts
  /// Creates an account.
  /// - Returns: the reason for a refusal, or `nil` if the account was created.
  let makeAccount:
    @Sendable (_ name: String, _ password: String, _ key: String?) async -> StanzaRefusal?
  /// Indicates whether a new account requires the key of the server's owner.
  let asksForKey: Bool
  private let devices = Devices()
  let clients = LoginClients()
  let codes = AuthorizationCodes()

  init(
    address: String, domain: String, database: Database, passwords: Passwords,
    lifetime: Double, now: @escaping @Sendable () -> Double,
    texts: @escaping ServerSettings.Texts, asksForKey: Bool = false,
    makeAccount:
      @escaping @Sendable (_ name: String, _ password: String, _ key: String?) async
      -> StanzaRefusal?
  ) {
    self.asksForKey = asksForKey
    self.address = address
    self.domain = domain
    self.database = database
    self.passwords = passwords
    self.lifetime = lifetime
    self.now = now
    self.texts = texts
    self.makeAccount = makeAccount
  }

  private static let refreshLifetime = 30 * 86_400.0
  private static let bodyLimit = 16 << 10

  func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply? {
    let path = request.target.prefix { $0 != "?" }
    switch (request.method, path) {
    case ("GET", SASLExchange.metadataPath[...]), ("HEAD", SASLExchange.metadataPath[...]):
      return metadata
    case ("GET", "/device"):
      return devicePage(code: Self.query(request)["user_code"] ?? "", says: nil)
    case ("GET", "/oauth/authorize"): return authorizationPage(Self.query(request))
    case ("GET", "/register"): return accountPage(says: nil)
    case ("POST", "/oauth/register"):
      guard isOurs(request) else { return refusal("invalid_client_metadata", 403) }
      return client(try await Self.content(request, body, type: "application/json"))
    case ("POST", "/oauth/token"), ("POST", "/oauth/device"), ("POST", "/oauth/revoke"),
      ("POST", "/device"), ("POST", "/oauth/authorize"), ("POST", "/register"):
      guard isOurs(request) else { return refusal("invalid_request", 403) }
      guard let form = try await Self.form(request, body) else {
        return refusal("invalid_request")
      }
      switch path {
      case "/oauth/token": return try await token(form)
      case "/oauth/device": return device()
      case "/device": return try await decide(form)
      case "/oauth/authorize": return try await authorize(form)
      case "/register": return await register(form)
      default: return try await revoke(form)
      }
    default: return nil
    }
  }

  /// Returns whether a request comes from a program or from a page of this server. Refuses requests
  /// of other sites' pages in the same browser (Origin), and host names that other sites resolve to
  /// this address (DNS rebinding).
  private func isOurs(_ request: WebRequest) -> Bool {
    let own = address.dropFirst("http://".count)
    let host = request.headers["host"] ?? ""
    return (host == own || host == "localhost:" + own.drop { $0 != ":" }.dropFirst())
      && [nil, address].contains(request.headers["origin"])
  }

  private var metadata: WebReply {
    .json(
      200,
      """
      {"issuer":"\(address)","authorization_endpoint":"\(address)/oauth/authorize",\
      "token_endpoint":"\(address)/oauth/token",\
      "device_authorization_endpoint":"\(address)/oauth/device",\
      "revocation_endpoint":"\(address)/oauth/revoke",\
      "registration_endpoint":"\(address)/oauth/register","scopes_supported":["xmpp"],\
      "response_types_supported":["code"],"code_challenge_methods_supported":["S256"],\
      "token_endpoint_auth_methods_supported":["none"],"prompt_values_supported":["create"],\
      "grant_types_supported":[\(Self.grants.map { "\"\($0)\"" }.joined(separator: ","))]}
      """)
  }

  static let grants = [
    "password", "refresh_token", "authorization_code",
    "urn:ietf:params:oauth:grant-type:device_code",
  ]

  // MARK: - Forms

  private static func form(_ request: WebRequest, _ body: any WebBody) async throws -> [String:
    String]?
  {
    try await content(request, body, type: "application/x-www-form-urlencoded").map {
      fields(String(decoding: $0, as: UTF8.self))
    }
  }

  /// - Returns: `nil` for a body of another type, or one that is too long.
  private static func content(_ request: WebRequest, _ body: any WebBody, type: String) async throws
    -> [UInt8]?
  {
    guard body.rest <= bodyLimit, request.headers["content-type"]?.hasPrefix(type) == true
    else { return nil }
    var bytes: [UInt8] = []
    while let more = try await body.next() { bytes += more }
    return bytes
  }

  private static func query(_ request: WebRequest) -> [String: String] {
    guard let mark = request.target.firstIndex(of: "?") else { return [:] }
    return fields(String(request.target[request.target.index(after: mark)...]))
  }

  static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { fields[decoded(pair[0])] = decoded(pair[1]) }
    }
    return fields
  }

  private static func decoded(_ text: Substring) -> String {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        out.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = bytes(hex: String(decoding: rest.prefix(2), as: UTF8.self))?.first
      {
        out.append(value)
        rest = rest.dropFirst(2)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  func refusal(_ error: String, _ status: Int = 400) -> WebReply {
    .json(status, #"{"error":"\#(error)"}"#)
  }

  // MARK: - Tokens

  private func token(_ form: [String: String]) async throws -> WebReply {
    // `ttl` is not in the standard: a shorter lifetime, as ejabberd offers it, lets a client test
    // the expiry of a token. `nan` passes any limit and cannot be converted to an integer.
    let wanted = form["ttl"].flatMap { Double($0) }.flatMap { $0.isNaN ? nil : $0 }
    let life = wanted.map { min(max($0, 0), lifetime) } ?? lifetime
    switch form["grant_type"] {
    case "password":
      guard let account = try await account(form["username"], form["password"]) else {
        return refusal("invalid_grant")
      }
      return try await grant(account, family: randomIdentifier(), life: life)
    case "refresh_token":
      guard let old = form["refresh_token"], let hash = try? hash(old) else {
        return refusal("invalid_request")
      }
      let time = now()
      let holder = try await database.write { database in
        let tokens = TokenStore(database: database)
        let holder = try tokens.holder(of: hash, .refresh, at: time)
        // A refresh token is valid once: a second use shows that two clients have it.
        try tokens.remove(hash)
        return holder.map { Holder(account: $0.account, family: $0.family) }
      }
      guard let holder else { return refusal("invalid_grant") }
      return try await grant(holder.account, family: holder.family, life: life)
    case "authorization_code": return try await token(forCode: form, life: life)
    case "urn:ietf:params:oauth:grant-type:device_code":
      switch devices.state(of: form["device_code"] ?? "", at: now()) {
      case .waiting: return refusal("authorization_pending")
      case .hasty: return refusal("slow_down")
      case .denied: return refusal("access_denied")
      case .expired: return refusal("expired_token")
      case .approved(let account):
        return try await grant(account, family: randomIdentifier(), life: life)
      }
    default: return refusal("unsupported_grant_type")
    }
  }

  private struct Holder: Sendable {
    let account: String
    let family: String
  }

  func hash(_ token: String) throws -> [UInt8] {
    try passwords.crypto.hash(Array(token.utf8), by: .sha256)
  }

  func grant(_ account: String, family: String, life: Double) async throws -> WebReply {
    let (access, refresh) = (randomIdentifier(byteCount: 24), randomIdentifier(byteCount: 24))
    let (accessHash, refreshHash) = (try hash(access), try hash(refresh))
    let time = now()
    try await database.write { database in
      let tokens = TokenStore(database: database)
      try tokens.removeExpired(before: time - 60)
      try tokens.add(accessHash, .access, of: account, family: family, expires: time + life)
      try tokens.add(
        refreshHash, .refresh, of: account, family: family,
        expires: time + Self.refreshLifetime)
    }
    return .json(
      200,
      """
      {"access_token":"\(access)","token_type":"bearer","expires_in":\(Int(life)),\
      "refresh_token":"\(refresh)","scope":"xmpp"}
      """)
  }

  func account(_ name: String?, _ password: String?) async throws -> String? {
    guard let name, let password, !name.isEmpty, !password.isEmpty,
      let address = Address.parse(name.contains("@") ? name : "\(name)@\(domain)"),
      let account = address.local, address.domain == domain
    else { return nil }
    let keys = try await database.read {
      try AccountStore(database: $0).keys(of: account, for: "SCRAM-SHA-256")
    }
    guard let keys, try passwords.matches(password, keys, by: .sha256) else { return nil }
    return account
  }

  private func revoke(_ form: [String: String]) async throws -> WebReply {
    guard let token = form["token"], let hash = try? hash(token) else {
      return refusal("invalid_request")
    }
    // The reply does not reveal whether the token existed (RFC 7009 §2.2).
    try await database.write { try TokenStore(database: $0).withdraw(hash) }
    return WebReply(status: 200)
  }

  // MARK: - Device codes

  private func device() -> WebReply {
    let (device, user) = devices.begin(at: now())
    return .json(
      200,
      """
      {"device_code":"\(device)","user_code":"\(user)","verification_uri":"\(address)/device",\
      "verification_uri_complete":"\(address)/device?user_code=\(user)",\
      "expires_in":\(Int(Devices.lifetime)),"interval":\(Int(Devices.interval))}
      """)
  }

  private func decide(_ form: [String: String]) async throws -> WebReply {
    let code = (form["user_code"] ?? "").uppercased().filter { $0.isLetter || $0 == "-" }
    guard let account = try await account(form["username"], form["password"]) else {
      return devicePage(code: code, says: "localPage.wrong")
    }
    let isGranted = form["deny"] == nil
    guard devices.decide(code, isGranted ? account : nil, at: now()) else {
      return devicePage(code: "", says: "localPage.noCode")
    }
    return LoginPage(message: texts(isGranted ? "localPage.done" : "localPage.denied", [:]))
      .reply(texts)
  }

  private func devicePage(code: String, says message: String?) -> WebReply {
    let safe = code.filter { $0.isASCII && ($0.isLetter || $0 == "-") }.prefix(16)
    return LoginPage(
      message: message.map { texts($0, [:]) }, action: "/device", code: String(safe),
      buttons: [.signIn, .deny]
    ).reply(texts)
  }
}
