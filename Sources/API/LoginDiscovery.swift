import BoundedText
import FoundationEssentials
import HTTP
import NatterCore
import XMPP

/// Looks for a server's HTTP login: its metadata (RFC 8414), what the host's own description leads to (XEP-0156), and
/// the token endpoints of servers that describe nothing.
///
/// Everything that is found is of the origin that was asked: a description that names other origins, or is itself on another
/// one, is of no use. Of a description at the domain itself the password grant counts only when it names a scope of chat: any
/// other may be the website's. Whether a password may go there at all is decided by who asks (`LoginSearch`).
package struct LoginDiscovery: LoginDiscovering {
  private let client: @Sendable (_ caFile: String?) -> APIClient
  private let limits: HTTPRequest.TimeLimits
  private let onTrouble: @Sendable (_ host: String, APIError) -> Void

  /// - Parameters:
  ///   - client: by the file of certificate authorities that the account trusts beside the system's.
  ///   - limit: for each question.
  ///   - onTrouble: told why a place could not be asked that nobody named.
  package init(
    client: @escaping @Sendable (_ caFile: String?) -> APIClient, limit: Duration = .seconds(5),
    onTrouble: @escaping @Sendable (_ host: String, APIError) -> Void = { _, _ in }
  ) {
    self.client = client
    limits = HTTPRequest.TimeLimits(connecting: limit, total: limit, standstill: limit)
    self.onTrouble = onTrouble
  }

  package func login(of account: Account, hint: String?) async throws -> HTTPLogin? {
    let client = client(account.caFile)
    var login: HTTPLogin?
    if let hint {
      // Where that leads nowhere, the domain's website is not meant.
      guard let address = WebAddress(hint), address.isPermitted else { return nil }
      login = await ifReached(address, client) { client throws(APIError) in
        try await self.login(describedAt: address, client)
      }
    } else {
      login = try await search(account, client)
    }
    try Task.checkCancellation()
    login?.caFile = account.caFile
    return login
  }

  private func search(_ account: Account, _ client: APIClient) async throws -> HTTPLogin? {
    if let given = account.httpURL {
      guard let base = WebAddress(given) else { return nil }
      let outcome = await client.outcome { client throws(APIError) in
        try await found(below: base, client)
      }
      switch outcome {
      case .success(let login): return login
      case .failure(let error):
        if error.isCancellation { throw CancellationError() }
        var problem = ConnectionProblem(error, host: base.host, port: base.port)
        problem.isServerNamed = true
        throw problem
      }
    }
    // Who names the server by hand has a domain that leads elsewhere, or nowhere.
    guard account.server == nil, !account.isLocal,
      let base = WebAddress("https://\(account.jid.domain)/")
    else { return nil }
    return await ifReached(base, client) { client throws(APIError) in
      try await login(ofDomainAt: base, client)
    }
  }

  /// - Returns: `nil` also where there is nobody to ask: each further question would wait as long.
  private func ifReached<Answer: Sendable>(
    _ address: WebAddress, _ client: APIClient,
    _ question: (APIClient) async throws(APIError) -> Answer?
  ) async -> Answer? {
    switch await client.outcome(question) {
    case .success(let answer): return answer
    case .failure(let error):
      onTrouble(address.host, error)
      return nil
    }
  }

  private func login(ofDomainAt base: WebAddress, _ client: APIClient) async throws(APIError)
    -> HTTPLogin?
  {
    // What stands at the domain may be the website's own: it has to say that it is for chat.
    let found = try await metadata(below: base, client, isPointedTo: false)
    if let found, found.grants.contains(.password) { return found }
    let servesChat = await ifReached(base, client) { client throws(APIError) in
      try await hasAlternatives(base, client)
    }
    guard servesChat == true else { return found }
    let login = await ifReached(base, client) { client throws(APIError) in
      try await undescribed(below: base, client)
    }
    return login ?? found
  }

  // MARK: - Descriptions

  private func found(below base: WebAddress, _ client: APIClient) async throws(APIError)
    -> HTTPLogin?
  {
    try await first(of: [true, false]) { isDescribed throws(APIError) in
      try await isDescribed ? metadata(below: base, client) : undescribed(below: base, client)
    }
  }

  /// The first login that one of `places` has. A place that is in trouble does not hide the others.
  /// - Throws: what was the matter with one of them, where none has a login: it may be that one's.
  private func first<Place>(
    of places: [Place], _ look: (Place) async throws(APIError) -> HTTPLogin?
  ) async throws(APIError) -> HTTPLogin? {
    var trouble: APIError?
    for place in places {
      do throws(APIError) {
        if let login = try await look(place) { return login }
      } catch {
        guard case .status = error else { throw error }
        trouble = trouble ?? error
      }
    }
    if let trouble { throw trouble }
    return nil
  }

  /// RFC 8414 §3.1: the well-known part goes between the host and the issuer's path.
  /// - Parameter isPointedTo: whether the chat service or the person named `base`.
  private func metadata(
    below base: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async throws(APIError) -> HTTPLogin? {
    let path = base.target.prefix { $0 != "?" }
    let suffix = path == "/" ? "" : String(path.hasSuffix("/") ? path.dropLast() : path)
    return try await first(of: HTTPLogin.wellKnownNames) { name throws(APIError) in
      guard let address = base.at("/.well-known/\(name)\(suffix)") else { return nil }
      return try await login(describedAt: address, client, isPointedTo: isPointedTo)
    }
  }

  private func login(
    describedAt address: WebAddress, _ client: APIClient, isPointedTo: Bool = true
  ) async throws(APIError) -> HTTPLogin? {
    let metadata = try await client.description(
      at: address, as: LoginMetadata.self, timeLimits: limits)
    return metadata.flatMap { HTTPLogin($0, foundAt: address, isPointedTo: isPointedTo) }
  }

  /// Whether the host's own description has ways in for chat at the same origin (XEP-0156).
  private func hasAlternatives(_ base: WebAddress, _ client: APIClient) async throws(APIError)
    -> Bool?
  {
    var links: [String] = []
    if let address = base.at("/.well-known/host-meta.json"),
      let meta = try await client.description(
        at: address, as: HostMetadata.self, timeLimits: limits)
    {
      links = meta.links.filter { $0.rel?.hasPrefix(Self.alternative) == true }
        .compactMap(\.href)
    } else if let address = base.at("/.well-known/host-meta"),
      let page = try await client.page(at: address, redirects: .sameServer, timeLimits: limits)
    {
      links = Self.links(inXRD: String(bounding: page))
    }
    return links.contains { link in
      let web = link.hasPrefix("wss:") ? "https:" + link.dropFirst(4) : link
      return WebAddress(web)?.hasSameOrigin(as: base) == true
    }
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

  private func undescribed(below base: WebAddress, _ client: APIClient) async throws(APIError)
    -> HTTPLogin?
  {
    let path = String(base.target.prefix { $0 != "?" })
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let named = path.hasSuffix("/token") ? [(path, path.contains("oauth2"))] : []
    // ejabberd's, and what others have.
    let places = named + [("\(folder)/oauth/token", false), ("\(folder)/oauth2/token", true)]
    return try await first(of: places) { named throws(APIError) in
      let (place, isStandard) = named
      guard let address = base.at(place),
        try await client.isTokenEndpoint(address, timeLimits: limits)
      else { return nil }
      let revocation = base.at(String(place.dropLast(5)) + "revoke")
      return HTTPLogin(
        tokenEndpoint: address.description,
        revocationEndpoint: isStandard ? revocation?.description : nil, grants: [.password],
        scope: isStandard ? "xmpp" : "sasl_auth")
    }
  }
}

extension HTTPLogin {
  /// - Parameter isPointedTo: whether the chat service or the person named the place. One that was come upon by chance is
  ///   offered no password, unless it says that what it grants is for chat.
  /// - Returns: `nil` for a description of another server than the one that was asked (RFC 8414 §3.3), or of no use.
  init?(_ metadata: LoginMetadata, foundAt address: WebAddress, isPointedTo: Bool) {
    if let issuer = metadata.issuer {
      guard let named = WebAddress(issuer), named.hasSameOrigin(as: address) else { return nil }
      // Several may live at one host, each with a path of its own.
      if let path = Self.issuerPath(of: address), path != Self.trimmed(named.target) { return nil }
    }
    func endpoint(_ text: String?) -> String? {
      guard let text, let place = WebAddress(text), place.isPermitted,
        place.hasSameOrigin(as: address)
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

extension HTTPLogin {
  /// What descriptions are called (RFC 8414 §3, OpenID Connect Discovery §4).
  static let wellKnownNames = ["oauth-authorization-server", "openid-configuration"]

  /// The path of the issuer that a description at `address` is asked for: behind the well-known part (RFC 8414 §3.1), or
  /// before it (OpenID Connect Discovery §4.1); `nil`: the address does not tell.
  private static func issuerPath(of address: WebAddress) -> String? {
    let path = trimmed(address.target)
    for name in wellKnownNames {
      let part = "/.well-known/\(name)"
      if path == part || path.hasPrefix(part + "/") { return String(path.dropFirst(part.count)) }
      if path.hasSuffix(part) { return String(path.dropLast(part.count)) }
    }
    return nil
  }

  /// A path without the stroke at its end, which makes no other issuer.
  private static func trimmed(_ target: String) -> String {
    let path = String(target.prefix { $0 != "?" && $0 != "#" })
    return path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}

extension WebAddress {
  /// Another place at the same server.
  func at(_ target: String) -> WebAddress? {
    let name = host.contains(":") ? "[\(host)]" : host
    return WebAddress("\(isEncrypted ? "https" : "http")://\(name):\(port)\(target)")
  }
}
