import FoundationEssentials

// Registration: of clients (RFC 7591) and of accounts.
extension LoginHandler {
  private struct ClientMetadata: Decodable {
    let redirect_uris: [String]?
    let client_name: String?
  }

  private struct ClientRecord: Encodable {
    let client_id: String
    let client_id_issued_at: Int
    let client_name: String
    let redirect_uris: [String]
    let grant_types: [String]
    let response_types = ["code"]
    let token_endpoint_auth_method = "none"
    let scope = "xmpp"
  }

  /// - Parameter bytes: the client's metadata as JSON; `nil` for an unreadable body.
  func client(_ bytes: [UInt8]?) -> WebReply {
    guard let bytes,
      let metadata = try? JSONDecoder().decode(ClientMetadata.self, from: Data(bytes))
    else { return refusal("invalid_client_metadata") }
    let wanted = metadata.redirect_uris ?? []
    let redirects = wanted.compactMap { LoopbackAddress($0) }
    // The server listens on loopback only, so only programs of this machine can use it.
    guard redirects.count == wanted.count else { return refusal("invalid_redirect_uri") }
    let name = String((metadata.client_name ?? "?").prefix(60))
    let id = clients.add(.init(name: name, redirects: Set(redirects.map(\.portless))))
    let record = ClientRecord(
      client_id: id, client_id_issued_at: Int(now()), client_name: name, redirect_uris: wanted,
      grant_types: Self.grants)
    guard let text = try? JSONEncoder().encode(record) else { return refusal("server_error", 500) }
    return .json(201, String(decoding: text, as: UTF8.self))
  }

  // MARK: - Accounts

  func accountPage(says message: String?, name: String = "") -> WebReply {
    LoginPage(
      message: message ?? texts("localPage.new", ["domain": domain]), action: "/register",
      name: name,
      asksForKey: asksForKey, buttons: [.create]
    ).reply(texts)
  }

  func register(_ form: [String: String]) async -> WebReply {
    if let message = await refusal(ofAccount: form) {
      return accountPage(says: message, name: form["username"] ?? "")
    }
    let name = (form["username"] ?? "").prefix { $0 != "@" }.lowercased()
    return LoginPage(
      message: texts("localPage.made", ["address": "\(name)@\(domain)"]), status: 201
    )
    .reply(texts)
  }

  /// Creates the account that a form requests.
  /// - Returns: the reason for a refusal as text, or `nil` if the account was created.
  func refusal(ofAccount form: [String: String]) async -> String? {
    var name = form["username"] ?? ""
    if name.lowercased().hasSuffix("@\(domain)") { name.removeLast(domain.count + 1) }
    let key: String
    switch await makeAccount(name, form["password"] ?? "", form["key"]) {
    case nil: return nil
    case .conflict: key = "localPage.taken"
    case .jidMalformed: key = "localPage.noName"
    case .notAcceptable: key = "localPage.noPassword"
    case .notAllowed: key = "localPage.noKey"
    default: key = "localPage.full"
    }
    return texts(key, [:])
  }
}
