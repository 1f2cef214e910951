import Crypto
import Synchronization

/// A loopback redirect URI, to which a browser can return (RFC 8252 §7.3).
struct LoopbackAddress: Hashable, Sendable {
  let text: String
  /// Scheme, host and port.
  let origin: String
  /// The URI without the port, which differs in each run of a program.
  let portless: String

  /// - Returns: `nil` for an address of another machine, one with a fragment, or an invalid one.
  init?(_ text: String) {
    let scheme = "http://"
    guard text.utf8.count <= 1000, text.hasPrefix(scheme),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"'<>\\^`{|}#;,".utf8.contains($0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard let host = ["127.0.0.1", "[::1]", "localhost"].first(where: authority.hasPrefix)
    else { return nil }
    let port = authority.dropFirst(host.count)
    if !port.isEmpty {
      guard port.first == ":", port.count <= 6, port.dropFirst().allSatisfy(\.isNumber),
        let number = Int(port.dropFirst()), (1...65535).contains(number)
      else { return nil }
    }
    self.text = text
    origin = scheme + authority
    portless = scheme + host + rest.dropFirst(authority.count)
  }

  /// Returns the URI with `fields` added to its query.
  func with(_ fields: [(name: String, value: String)]) -> String {
    let query = fields.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    return text + (text.contains("?") ? "&" : "?") + query
  }

  private static func encoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~":
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default: out += "%" + hex([byte]).uppercased()
      }
    }
    return out
  }
}

/// The registered clients (RFC 7591), in memory: after a restart of the server they register again.
final class LoginClients: Sendable {
  struct Client: Sendable {
    /// The name that it gave itself; untrusted.
    let name: String
    /// The redirect URIs that it registered, without ports; `nil` allows any on this machine.
    let redirects: Set<String>?
  }

  /// The id of Natter, which needs no registration on its own server.
  private static let own = "natter"
  private static let limit = 1000

  private let clients = Mutex<(known: [String: Client], order: [String])>(([:], []))

  func add(_ client: Client) -> String {
    let id = randomIdentifier()
    clients.withLock { clients in
      clients.known[id] = client
      clients.order.append(id)
      if clients.order.count > Self.limit { clients.known[clients.order.removeFirst()] = nil }
    }
    return id
  }

  /// - Returns: the client, if it may use the redirect URI.
  func client(_ id: String, for redirect: LoopbackAddress) -> Client? {
    if id == Self.own { return Client(name: "Natter", redirects: nil) }
    guard let client = clients.withLock({ $0.known[id] }),
      client.redirects?.contains(redirect.portless) ?? true
    else { return nil }
    return client
  }
}

/// The parameters with which a program opens the authorization page (RFC 6749 §4.1.1, RFC 7636
/// §4.3).
struct AuthorizationRequest: Hashable, Sendable {
  let client: String
  let redirect: LoopbackAddress
  let state: String
  /// BASE64URL(SHA256(verifier)).
  let challenge: String
  /// True if the user wants a new account (OpenID Connect, Initiating User Registration 1.0 §3).
  let createsAccount: Bool

  /// The query fields that repeat this request.
  var fields: [(name: String, value: String)] {
    [
      ("response_type", "code"), ("client_id", client), ("redirect_uri", redirect.text),
      ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ] + (createsAccount ? [("prompt", "create")] : [])
  }
}

/// The authorization codes that are issued and not yet redeemed, in memory; valid for a minute.
final class AuthorizationCodes: Sendable {
  static let lifetime = 60.0

  struct Grant: Hashable, Sendable {
    let account: String
    let request: AuthorizationRequest
    /// The family of the tokens for which the code is exchanged.
    let family: String
  }

  enum Redemption: Hashable, Sendable {
    case none
    case first(Grant)
    /// The code was used twice, so the tokens issued for it must be revoked (RFC 6749 §4.1.2).
    case again(family: String)
  }

  private struct Entry {
    let grant: Grant
    let end: Double
    var isUsed = false
  }

  private let codes = Mutex<[String: Entry]>([:])

  func issue(to account: String, for request: AuthorizationRequest, at time: Double) -> String {
    let code = randomIdentifier(byteCount: 24)
    let grant = Grant(account: account, request: request, family: randomIdentifier())
    codes.withLock { codes in
      codes = codes.filter { $0.value.end > time }
      codes[code] = Entry(grant: grant, end: time + Self.lifetime)
    }
    return code
  }

  func redeem(_ code: String, at time: Double) -> Redemption {
    codes.withLock { codes in
      guard let entry = codes[code], entry.end > time else { return .none }
      codes[code]?.isUsed = true
      return entry.isUsed ? .again(family: entry.grant.family) : .first(entry.grant)
    }
  }
}
