import Crypto
import FoundationEssentials
import SQLite
import Synchronization
import XMPP

/// Signing in over HTTP: metadata (RFC 8414), tokens for passwords, refresh tokens and device codes (RFC 6749, 8628), and
/// their withdrawal (RFC 7009). On loopback only, as everything of this server.
struct LoginHandler: WebHandling {
  /// `http://127.0.0.1:PORT`
  let address: String
  let domain: String
  let database: Database
  let passwords: Passwords
  /// Seconds that an access token lives unless the request says otherwise.
  let lifetime: Double
  /// Seconds since 1970.
  let now: @Sendable () -> Double
  private let devices = Devices()

  init(
    address: String, domain: String, database: Database, passwords: Passwords,
    lifetime: Double, now: @escaping @Sendable () -> Double
  ) {
    self.address = address
    self.domain = domain
    self.database = database
    self.passwords = passwords
    self.lifetime = lifetime
    self.now = now
  }

  private static let refreshLifetime = 30 * 86_400.0
  private static let bodyLimit = 16 << 10

  func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply? {
    let path = request.target.prefix { $0 != "?" }
    switch (request.method, path) {
    case ("GET", SASLExchange.metadataPath[...]), ("HEAD", SASLExchange.metadataPath[...]):
      return metadata
    case ("GET", "/device"): return page(code: Self.query(request)["user_code"] ?? "", says: nil)
    case ("POST", "/oauth/token"), ("POST", "/oauth/device"), ("POST", "/oauth/revoke"),
      ("POST", "/device"):
      guard let form = try await Self.form(request, body) else {
        return refusal("invalid_request")
      }
      switch path {
      case "/oauth/token": return try await token(form)
      case "/oauth/device": return device()
      case "/device": return try await decide(form)
      default: return try await revoke(form)
      }
    default: return nil
    }
  }

  private var metadata: WebReply {
    .json(
      200,
      """
      {"issuer":"\(address)","token_endpoint":"\(address)/oauth/token",\
      "device_authorization_endpoint":"\(address)/oauth/device",\
      "revocation_endpoint":"\(address)/oauth/revoke","scopes_supported":["xmpp"],\
      "response_types_supported":[],"grant_types_supported":["password","refresh_token",\
      "urn:ietf:params:oauth:grant-type:device_code"]}
      """)
  }

  // MARK: - Forms

  private static func form(_ request: WebRequest, _ body: any WebBody) async throws -> [String:
    String]?
  {
    guard body.rest <= bodyLimit,
      request.headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true
    else { return nil }
    var bytes: [UInt8] = []
    while let more = try await body.next() { bytes += more }
    return fields(String(decoding: bytes, as: UTF8.self))
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

  private func refusal(_ error: String, _ status: Int = 400) -> WebReply {
    .json(status, #"{"error":"\#(error)"}"#)
  }

  // MARK: - Tokens

  private func token(_ form: [String: String]) async throws -> WebReply {
    // Not in the standard: a life of one's own, as ejabberd has it, so that a token can be seen to end.
    let life = form["ttl"].flatMap { Double($0) }.map { min(max($0, 0), lifetime) } ?? lifetime
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
        // Good once: a second use shows that two have it.
        try tokens.remove(hash)
        return holder.map { Holder(account: $0.account, family: $0.family) }
      }
      guard let holder else { return refusal("invalid_grant") }
      return try await grant(holder.account, family: holder.family, life: life)
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

  private func hash(_ token: String) throws -> [UInt8] {
    try passwords.crypto.hash(Array(token.utf8), by: .sha256)
  }

  private func grant(_ account: String, family: String, life: Double) async throws -> WebReply {
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

  private func account(_ name: String?, _ password: String?) async throws -> String? {
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
    // Nobody learns whether there was one (RFC 7009 §2.2).
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
      return page(code: code, says: "Wrong name or password.")
    }
    let isGranted = form["deny"] == nil
    guard devices.decide(code, isGranted ? account : nil, at: now()) else {
      return page(code: "", says: "There is no such code, or its time is over.")
    }
    return page(code: nil, says: isGranted ? "Done: your program is signed in." : "Denied.")
  }

  private func page(code: String?, says words: String?) -> WebReply {
    let safe = (code ?? "").filter { $0.isASCII && ($0.isLetter || $0 == "-") }.prefix(16)
    var body = "<!doctype html><meta charset=utf-8><title>Natter</title>"
    if let words { body += "<p>\(words)</p>" }
    if code != nil {
      body += """
        <form method=post action=/device><p><label>Code <input name=user_code value="\(safe)"></label>
        <p><label>Name <input name=username></label>
        <p><label>Password <input name=password type=password></label>
        <p><button>Sign in</button> <button name=deny value=1>Deny</button></form>
        """
    }
    return WebReply(
      status: 200,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
        (
          "Content-Security-Policy",
          "default-src 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
      ], body: .bytes(Array(body.utf8)))
  }
}

/// The device codes that are out, in memory: a restart asks for new ones.
final class Devices: Sendable {
  static let lifetime = 600.0
  static let interval = 1.0

  enum State: Equatable {
    case waiting, hasty, denied, expired
    case approved(String)
  }

  private struct Device {
    let userCode: String
    let end: Double
    var asked = -Double.infinity
    /// `nil` until somebody has decided.
    var decision: String??
  }

  private let devices = Mutex<[String: Device]>([:])

  func begin(at time: Double) -> (device: String, user: String) {
    // No vowels and nothing that looks like something else (RFC 8628 §6.1).
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    let random = randomBytes(8).map { letters[Int($0) % letters.count] }
    let user = String(random[..<4]) + "-" + String(random[4...])
    let device = randomIdentifier(byteCount: 24)
    devices.withLock { devices in
      devices = devices.filter { $0.value.end > time }
      devices[device] = Device(userCode: user, end: time + Self.lifetime)
    }
    return (device, user)
  }

  /// - Parameter account: `nil`: denied.
  /// - Returns: whether there was a device that waits with this code.
  func decide(_ userCode: String, _ account: String?, at time: Double) -> Bool {
    devices.withLock { devices in
      guard
        let device = devices.first(where: {
          $0.value.userCode == userCode && $0.value.end > time && $0.value.decision == nil
        })?.key
      else { return false }
      devices[device]?.decision = .some(account)
      return true
    }
  }

  /// A decision is told once.
  func state(of device: String, at time: Double) -> State {
    devices.withLock { devices in
      guard var found = devices[device], found.end > time else { return .expired }
      if let decision = found.decision {
        devices[device] = nil
        return decision.map { .approved($0) } ?? .denied
      }
      let isHasty = time - found.asked < Self.interval * 0.5
      found.asked = time
      devices[device] = found
      return isHasty ? .hasty : .waiting
    }
  }
}
