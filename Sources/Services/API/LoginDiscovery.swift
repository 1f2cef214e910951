import BoundedText
import FoundationEssentials
import HTTP
import NatterCore
import XMPP

/// Discovers a server's HTTP login: its metadata (RFC 8414), the links of the host's own
/// description (XEP-0156), and the token endpoints of servers without a description.
///
/// All results have the origin that was queried: a description that names other origins, or is
/// itself on another one, is ignored. For a description at the domain itself, the password grant
/// counts only if it names a chat scope: any other may belong to the website. The caller
/// (`LoginSearch`) decides if a password may be sent there at all.
package struct LoginDiscovery: LoginDiscovering {
  private let client: @Sendable (_ caFile: String?) -> APIClient
  private let limits: HTTPRequest.TimeLimits
  private let onTrouble: @Sendable (_ host: String, APIError) -> Void

  /// - Parameters:
  ///   - client: creates a client for the file of certificate authorities that the account trusts
  ///     in addition to the system's.
  ///   - limit: the time limit of each request.
  ///   - onTrouble: called with the reason why a host that the user did not configure could not be
  ///     queried.
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
      // If the hint leads nowhere, the domain's website is no replacement.
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
    // A configured server implies that the domain leads to another host, or to none.
    guard account.server == nil, !account.isLocal,
      let base = WebAddress("https://\(account.jid.domain)/")
    else { return nil }
    return await ifReached(base, client) { client throws(APIError) in
      try await login(ofDomainAt: base, client)
    }
  }

  /// - Returns: `nil` also if the host is unreachable: each further request would wait as long.
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
    // The metadata at the domain may belong to its website: it has to declare that it is for chat.
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

  /// Returns the first login among `candidates`. An error at one of them does not hide the others.
  /// - Throws: the error of one of them, if none has a login: that one may have it.
  private func first<Candidate>(
    of candidates: [Candidate], _ look: (Candidate) async throws(APIError) -> HTTPLogin?
  ) async throws(APIError) -> HTTPLogin? {
    var trouble: APIError?
    for candidate in candidates {
      do throws(APIError) {
        if let login = try await look(candidate) { return login }
      } catch {
        guard case .status = error else { throw error }
        trouble = trouble ?? error
      }
    }
    if let trouble { throw trouble }
    return nil
  }

  /// Queries the metadata. RFC 8414 §3.1: the well-known part goes between the host and the
  /// issuer's path.
  /// - Parameter isPointedTo: `true` if the chat service or the user named `base`.
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

  /// Returns whether the host's own description lists chat connections at the same origin
  /// (XEP-0156).
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

  /// Returns the URLs of the relevant links. Parsed by hand: their targets are checked anyway.
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
    // The endpoint of ejabberd, and that of other servers.
    let candidates = named + [("\(folder)/oauth/token", false), ("\(folder)/oauth2/token", true)]
    return try await first(of: candidates) { named throws(APIError) in
      let (candidate, isStandard) = named
      guard let address = base.at(candidate),
        try await client.isTokenEndpoint(address, timeLimits: limits)
      else { return nil }
      let revocation = base.at(String(candidate.dropLast(5)) + "revoke")
      return HTTPLogin(
        tokenEndpoint: address.description,
        revocationEndpoint: isStandard ? revocation?.description : nil, grants: [.password],
        scope: isStandard ? "xmpp" : "sasl_auth")
    }
  }
}

extension HTTPLogin {
  /// - Parameter isPointedTo: `true` if the chat service or the user named the address. One that
  ///   was guessed receives no password, unless it declares that its grants are for chat.
  /// - Returns: `nil` for the description of another server than the queried one (RFC 8414 §3.3),
  ///   or a useless one.
  init?(_ metadata: LoginMetadata, foundAt address: WebAddress, isPointedTo: Bool) {
    if let issuer = metadata.issuer {
      guard let named = WebAddress(issuer), named.hasSameOrigin(as: address) else { return nil }
      // Several issuers may share one host, each with a path of its own.
      if let path = Self.issuerPath(of: address), path != Self.trimmed(named.target) { return nil }
    }
    func endpoint(_ text: String?) -> String? {
      guard let text, let candidate = WebAddress(text), candidate.isPermitted,
        candidate.hasSameOrigin(as: address)
      else { return nil }
      return candidate.description
    }
    guard let token = endpoint(metadata.tokenEndpoint) else { return nil }
    // An absent list means these two (RFC 8414 §2).
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
  /// The names of the descriptions (RFC 8414 §3, OpenID Connect Discovery §4).
  static let wellKnownNames = ["oauth-authorization-server", "openid-configuration"]

  /// Returns the path of the issuer whose description is at `address`: after the well-known part
  /// (RFC 8414 §3.1), or before it (OpenID Connect Discovery §4.1); `nil` if the address does not
  /// contain it.
  private static func issuerPath(of address: WebAddress) -> String? {
    let path = trimmed(address.target)
    for name in wellKnownNames {
      let part = "/.well-known/\(name)"
      if path == part || path.hasPrefix(part + "/") { return String(path.dropFirst(part.count)) }
      if path.hasSuffix(part) { return String(path.dropLast(part.count)) }
    }
    return nil
  }

  /// Returns a path without a trailing slash, which makes no difference to the issuer.
  private static func trimmed(_ target: String) -> String {
    let path = String(target.prefix { $0 != "?" && $0 != "#" })
    return path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}

extension WebAddress {
  /// Returns another path on the same server.
  func at(_ target: String) -> WebAddress? {
    let name = host.contains(":") ? "[\(host)]" : host
    return WebAddress("\(isEncrypted ? "https" : "http")://\(name):\(port)\(target)")
  }
}
