import FoundationEssentials
import HTTP
import NatterCore
import XMPP

/// Looks for a server's HTTP login: its metadata (RFC 8414), what the host's own description leads to (XEP-0156), and
/// the token endpoints of servers that describe nothing.
///
/// A password goes only to whom the chat service points: by a refused token (RFC 7628, XEP-0493), by the host's description of
/// its ways in for chat, or by the person (`--http-url`). A description at the domain itself counts as such when it names a
/// scope of chat; any other may be the website's, and is good for a browser only.
package struct LoginDiscovery: LoginDiscovering {
  private let client: @Sendable (_ caFile: String?) -> APIClient
  private let limits: HTTPRequest.TimeLimits

  /// - Parameters:
  ///   - client: by the file of certificate authorities that the account trusts beside the system's.
  ///   - limit: for each question.
  package init(
    client: @escaping @Sendable (_ caFile: String?) -> APIClient, limit: Duration = .seconds(5)
  ) {
    self.client = client
    limits = HTTPRequest.TimeLimits(connecting: limit, total: limit, standstill: limit)
  }

  package func login(of account: Account, hint: String?) async -> HTTPLogin? {
    var login = await search(account, hint, client(account.caFile))
    login?.caFile = account.caFile
    return login
  }

  private func search(_ account: Account, _ hint: String?, _ client: APIClient) async -> HTTPLogin?
  {
    if let hint, let address = WebAddress(hint), address.isPermitted,
      let login = await reached({ try await login(describedAt: address, client) })
    {
      return login
    }
    if let given = account.httpURL {
      guard let base = WebAddress(given), base.isPermitted else { return nil }
      return await reached { try await found(below: base, client) }
    }
    // Who names the server by hand has a domain that leads elsewhere, or nowhere.
    guard account.server == nil, !account.isLocal,
      let base = WebAddress("https://\(account.jid.domain)/")
    else { return nil }
    return await reached { try await login(ofDomainAt: base, client) }
  }

  private func login(ofDomainAt base: WebAddress, _ client: APIClient) async throws -> HTTPLogin? {
    // What stands at the domain may be the website's own: it has to say that it is for chat.
    let found = try await metadata(below: base, client, isPointedTo: false)
    if let found, found.grants.contains(.password) { return found }
    for place in (try? await alternatives(of: base, client)) ?? [] {
      if let login = await reached({ try await self.found(below: place, client) }) { return login }
    }
    return found
  }

  // MARK: - Servers that are not there

  /// The server could not be asked: each further question would wait as long.
  private struct OutOfReach: Error {}

  /// - Returns: `nil` also where there is nobody to ask.
  private func reached(_ question: () async throws -> HTTPLogin?) async -> HTTPLogin? {
    do { return try await question() } catch { return nil }
  }

  /// What the server says; `nil` for an answer that is none.
  /// - Throws: `OutOfReach`.
  private func asking<Answer>(_ question: () async throws -> Answer) async throws -> Answer? {
    do { return try await question() } catch APIError.transport(let error) {
      switch error {
      case .redirectRefused, .tooManyRedirects, .tooLarge: return nil
      default: throw OutOfReach()
      }
    } catch {
      return nil
    }
  }

  // MARK: - Descriptions

  private func found(below base: WebAddress, _ client: APIClient) async throws -> HTTPLogin? {
    if let login = try await metadata(below: base, client) { return login }
    return try await undescribed(below: base, client)
  }

  /// RFC 8414 §3.1: the well-known part goes between the host and the issuer's path.
  /// - Parameter isPointedTo: whether the chat service or the person named `base`.
  private func metadata(
    below base: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async throws -> HTTPLogin? {
    let path = base.target.prefix { $0 != "?" }
    let suffix = path == "/" ? "" : String(path.hasSuffix("/") ? path.dropLast() : path)
    for name in ["oauth-authorization-server", "openid-configuration"] {
      guard let address = base.at("/.well-known/\(name)\(suffix)") else { continue }
      if let login = try await login(describedAt: address, client, isPointedTo: isPointedTo) {
        return login
      }
    }
    return nil
  }

  private func login(
    describedAt address: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async throws -> HTTPLogin? {
    let request = HTTPRequest(.get, address, timeLimits: limits, sizeLimit: 1 << 17)
    let metadata = try await asking { try await client.call(request, as: LoginMetadata.self) }
    guard let metadata else { return nil }
    return HTTPLogin(metadata, foundAt: address, isPointedTo: isPointedTo)
  }

  /// The origins of a host's other ways in.
  private func alternatives(of base: WebAddress, _ client: APIClient) async throws -> [WebAddress] {
    func request(_ path: String) -> HTTPRequest? {
      base.at(path).map {
        HTTPRequest(.get, $0, redirects: .anyServer, timeLimits: limits, sizeLimit: 1 << 16)
      }
    }
    var links: [String] = []
    if let request = request("/.well-known/host-meta.json"),
      let meta = try await asking({ try await client.call(request, as: HostMetadata.self) })
    {
      links = meta.links.filter { $0.rel?.hasPrefix(Self.alternative) == true }
        .compactMap(\.href)
    } else if let request = request("/.well-known/host-meta"),
      let reply = try await asking({ try await client.call(request) })
    {
      links = Self.links(inXRD: String(decoding: reply.body, as: UTF8.self))
    }
    var origins: [WebAddress] = []
    for link in links {
      let web = link.hasPrefix("wss:") ? "https:" + link.dropFirst(4) : link
      guard let origin = WebAddress(web)?.at("/"), origin.isPermitted, origin.isEncrypted,
        !origins.contains(origin), origins.count < 3
      else { continue }
      origins.append(origin)
    }
    return origins
  }

  private static let alternative = "urn:xmpp:alt-connections:"

  /// The addresses of the links in question. By hand: what it leads to is checked anyway.
  static func links(inXRD text: String) -> [String] {
    text.split(separator: "<").compactMap { tag in
      guard tag.hasPrefix("Link"), let rel = attribute("rel", of: tag),
        rel.hasPrefix(alternative)
      else { return nil }
      return attribute("href", of: tag)
    }
  }

  private static func attribute(_ name: String, of tag: Substring) -> String? {
    for quote in ["'", "\""] {
      guard let start = tag.firstRange(of: " \(name)=\(quote)")?.upperBound else { continue }
      return String(tag[start...].prefix { String($0) != quote }).replacing("&amp;", with: "&")
    }
    return nil
  }

  // MARK: - Servers that describe nothing

  /// A token endpoint is known by how it refuses a grant that nobody knows; no secret is sent for that.
  private func undescribed(below base: WebAddress, _ client: APIClient) async throws -> HTTPLogin? {
    let path = String(base.target.prefix { $0 != "?" })
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let named = path.hasSuffix("/token") ? [(path, path.contains("oauth2"))] : []
    // ejabberd's, and what others have.
    let places = named + [("\(folder)/oauth/token", false), ("\(folder)/oauth2/token", true)]
    for (place, isStandard) in places {
      guard let address = base.at(place), try await isTokenEndpoint(address, client)
      else { continue }
      let revocation = base.at(String(place.dropLast(5)) + "revoke")
      return HTTPLogin(
        tokenEndpoint: address.description,
        revocationEndpoint: isStandard ? revocation?.description : nil, grants: [.password],
        scope: isStandard ? "xmpp" : "sasl_auth")
    }
    return nil
  }

  private func isTokenEndpoint(_ address: WebAddress, _ client: APIClient) async throws -> Bool {
    var question = HTTPRequest.form(address, [("grant_type", "none")])
    question.timeLimits = limits
    question.sizeLimit = 1 << 16
    guard let reply = try await asking({ try await client.reply(to: question) }),
      reply.status == 400,
      let refusal = APIClient.json(reply.body, as: TokenRefusalReply.self)
    else { return false }
    return ["unsupported_grant_type", "invalid_request", "invalid_client"].contains(refusal.error)
  }
}

extension HTTPLogin {
  /// - Parameter isPointedTo: whether the chat service or the person named the place. One that was come upon by chance is
  ///   offered no password, unless it says that what it grants is for chat.
  /// - Returns: `nil` for a description of another server than the one that was asked (RFC 8414 §3.3), or of no use.
  init?(_ metadata: LoginMetadata, foundAt address: WebAddress, isPointedTo: Bool) {
    if let issuer = metadata.issuer {
      guard let named = WebAddress(issuer), named.hasSameOrigin(as: address) else { return nil }
    }
    func endpoint(_ text: String?) -> String? {
      guard let text, let place = WebAddress(text), place.isPermitted,
        place.isEncrypted || !address.isEncrypted
      else { return nil }
      return place.description
    }
    guard let token = endpoint(metadata.tokenEndpoint) else { return nil }
    // What is left out stands for these two (RFC 8414 §2).
    var grants = Set(
      (metadata.grants ?? ["authorization_code", "implicit"]).compactMap(Grant.init))
    let device = endpoint(metadata.deviceEndpoint)
    let authorization = endpoint(metadata.authorizationEndpoint)
    if device == nil { grants.remove(.deviceCode) }
    if authorization == nil { grants.remove(.authorizationCode) }
    let scope = ["xmpp", "sasl_auth"].first { metadata.scopes?.contains($0) == true }
    if scope == nil, !isPointedTo { grants.remove(.password) }
    self.init(
      tokenEndpoint: token, deviceEndpoint: device, authorizationEndpoint: authorization,
      revocationEndpoint: endpoint(metadata.revocationEndpoint),
      registrationEndpoint: endpoint(metadata.registrationEndpoint), grants: grants,
      scope: scope ?? "xmpp")
  }
}

extension WebAddress {
  /// Another place at the same server.
  func at(_ target: String) -> WebAddress? {
    let name = host.contains(":") ? "[\(host)]" : host
    return WebAddress("\(isEncrypted ? "https" : "http")://\(name):\(port)\(target)")
  }
}
