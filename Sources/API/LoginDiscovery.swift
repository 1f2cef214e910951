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
    let client = client(account.caFile)
    if let hint, let address = WebAddress(hint), address.isPermitted,
      let login = await login(describedAt: address, client)
    {
      return trusting(login, account)
    }
    if let given = account.httpURL {
      guard let base = WebAddress(given), base.isPermitted else { return nil }
      return await found(below: base, client).map { trusting($0, account) }
    }
    // Who names the server by hand has a domain that leads elsewhere, or nowhere.
    guard account.server == nil, !account.isLocal,
      let base = WebAddress("https://\(account.jid.domain)/")
    else { return nil }
    // What stands at the domain may be the website's own: it has to say that it is for chat.
    let found = await metadata(below: base, client, isPointedTo: false)
    if let found, found.grants.contains(.password) { return trusting(found, account) }
    for place in await alternatives(of: base, client) {
      if let login = await self.found(below: place, client) { return trusting(login, account) }
    }
    return found.map { trusting($0, account) }
  }

  private func trusting(_ login: HTTPLogin, _ account: Account) -> HTTPLogin {
    var login = login
    login.caFile = account.caFile
    return login
  }

  // MARK: - Descriptions

  private func found(below base: WebAddress, _ client: APIClient) async -> HTTPLogin? {
    if let login = await metadata(below: base, client) { return login }
    return await undescribed(below: base, client)
  }

  /// RFC 8414 §3.1: the well-known part goes between the host and the issuer's path.
  /// - Parameter isPointedTo: whether the chat service or the person named `base`.
  private func metadata(
    below base: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async -> HTTPLogin? {
    let path = base.target.prefix { $0 != "?" }
    let suffix = path == "/" ? "" : String(path.hasSuffix("/") ? path.dropLast() : path)
    for name in ["oauth-authorization-server", "openid-configuration"] {
      guard let address = base.at("/.well-known/\(name)\(suffix)") else { continue }
      if let login = await login(describedAt: address, client, isPointedTo: isPointedTo) {
        return login
      }
    }
    return nil
  }

  private func login(
    describedAt address: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async -> HTTPLogin? {
    guard
      let metadata = try? await client.call(
        HTTPRequest(.get, address, timeLimits: limits, sizeLimit: 1 << 17), as: LoginMetadata.self)
    else { return nil }
    return HTTPLogin(metadata, foundAt: address, isPointedTo: isPointedTo)
  }

  /// The origins of a host's other ways in.
  private func alternatives(of base: WebAddress, _ client: APIClient) async -> [WebAddress] {
    var links: [String] = []
    if let address = base.at("/.well-known/host-meta.json"),
      let meta = try? await client.call(
        HTTPRequest(
          .get, address, redirects: .anyServer, timeLimits: limits, sizeLimit: 1 << 16),
        as: HostMetadata.self)
    {
      links = meta.links.filter { $0.rel?.hasPrefix(Self.alternative) == true }
        .compactMap(\.href)
    } else if let address = base.at("/.well-known/host-meta"),
      let reply = try? await client.call(
        HTTPRequest(
          .get, address, redirects: .anyServer, timeLimits: limits, sizeLimit: 1 << 16))
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
  private func undescribed(below base: WebAddress, _ client: APIClient) async -> HTTPLogin? {
    let path = String(base.target.prefix { $0 != "?" })
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let named = path.hasSuffix("/token") ? [(path, path.contains("oauth2"))] : []
    // ejabberd's, and what others have.
    let places = named + [("\(folder)/oauth/token", false), ("\(folder)/oauth2/token", true)]
    for (place, isStandard) in places {
      guard let address = base.at(place), await isTokenEndpoint(address, client) else { continue }
      let revocation = base.at(String(place.dropLast(5)) + "revoke")
      return HTTPLogin(
        tokenEndpoint: address.description,
        revocationEndpoint: isStandard ? revocation?.description : nil, grants: [.password],
        scope: isStandard ? "xmpp" : "sasl_auth")
    }
    return nil
  }

  private func isTokenEndpoint(_ address: WebAddress, _ client: APIClient) async -> Bool {
    var question = HTTPRequest.form(address, [("grant_type", "none")])
    question.timeLimits = limits
    question.sizeLimit = 1 << 16
    guard let reply = try? await client.reply(to: question), reply.status == 400,
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
