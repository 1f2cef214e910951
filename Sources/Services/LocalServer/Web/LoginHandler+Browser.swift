import Crypto
import SQLite

// The authorization code grant (RFC 6749 §4.1): a browser returns a code to the program that opened
// the page. PKCE (RFC 7636) proves which program that was.
extension LoginHandler {
  private enum Reading {
    case request(AuthorizationRequest, LoginClients.Client)
    /// An unknown client or an invalid redirect URI, so the browser cannot be redirected.
    case unknownClient
    case refused(LoopbackAddress, state: String, error: String)
  }

  private func read(_ fields: [String: String]) -> Reading {
    guard let redirect = fields["redirect_uri"].flatMap({ LoopbackAddress($0) }),
      let id = fields["client_id"], let client = clients.client(id, for: redirect)
    else { return .unknownClient }
    let state = fields["state"] ?? ""
    guard fields["response_type"] == "code" else {
      return .refused(redirect, state: state, error: "unsupported_response_type")
    }
    let scopes = (fields["scope"] ?? "xmpp").split(separator: " ")
    guard scopes == ["xmpp"] else {
      return .refused(redirect, state: state, error: "invalid_scope")
    }
    // Without a challenge, a program that intercepts the code could obtain the token.
    guard let challenge = fields["code_challenge"], fields["code_challenge_method"] == "S256",
      challenge.utf8.count == 43
    else { return .refused(redirect, state: state, error: "invalid_request") }
    let prompts = (fields["prompt"] ?? "").split(separator: " ")
    return .request(
      AuthorizationRequest(
        client: id, redirect: redirect, state: state, challenge: challenge,
        createsAccount: prompts.contains("create")), client)
  }

  func authorizationPage(_ fields: [String: String]) -> WebReply {
    switch read(fields) {
    case .unknownClient: return stranger
    case .refused(let redirect, let state, let error):
      return back(to: redirect, [("error", error), ("state", state)])
    case .request(let request, let client):
      return page(for: request, texts("localPage.ask", ["name": client.name]))
    }
  }

  private var stranger: WebReply {
    LoginPage(message: texts("localPage.stranger", [:]), status: 400).reply(texts)
  }

  private func page(for request: AuthorizationRequest, _ message: String, name: String = "")
    -> WebReply
  {
    LoginPage(
      message: message, action: "/oauth/authorize", name: name, hidden: request.fields,
      asksForKey: asksForKey,
      buttons: request.createsAccount ? [.create, .deny] : [.signIn, .create, .deny],
      origin: request.redirect.origin
    ).reply(texts)
  }

  /// Handles the user's decision on the page.
  func authorize(_ form: [String: String]) async throws -> WebReply {
    guard case .request(let request, _) = read(form) else { return stranger }
    let state = ("state", request.state)
    if form["deny"] != nil {
      return back(to: request.redirect, [("error", "access_denied"), state])
    }
    if form["create"] != nil, let message = await refusal(ofAccount: form) {
      return page(for: request, message, name: form["username"] ?? "")
    }
    guard let account = try await account(form["username"], form["password"]) else {
      return page(for: request, texts("localPage.wrong", [:]), name: form["username"] ?? "")
    }
    let code = codes.issue(to: account, for: request, at: now())
    return back(to: request.redirect, [("code", code), state])
  }

  private func back(
    to redirect: LoopbackAddress, _ fields: [(name: String, value: String)]
  ) -> WebReply {
    WebReply(
      status: 303,
      headers: [("Location", redirect.with(fields)), ("Cache-Control", "no-store")])
  }

  // MARK: - The code's token

  func token(forCode form: [String: String], life: Double) async throws -> WebReply {
    guard let code = form["code"], let verifier = form["code_verifier"] else {
      return refusal("invalid_request")
    }
    switch codes.redeem(code, at: now()) {
    case .none: return refusal("invalid_grant")
    case .again(let family):
      try await database.write { try TokenStore(database: $0).withdraw(family: family) }
      return refusal("invalid_grant")
    case .first(let grant):
      let request = grant.request
      guard form["client_id"] == request.client, form["redirect_uri"] == request.redirect.text,
        (43...128).contains(verifier.utf8.count),
        Self.challenge(try hash(verifier)) == request.challenge
      else { return refusal("invalid_grant") }
      return try await self.grant(grant.account, family: grant.family, life: life)
    }
  }

  /// Returns the code challenge for a SHA-256 hash of the verifier (RFC 7636 §4.2).
  static func challenge(_ hash: [UInt8]) -> String {
    Base64.encode(hash).replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
