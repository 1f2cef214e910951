import Crypto
import FoundationEssentials
import XML
import XMPP

/// The steps after signing in that the same answer includes (XEP-0388 §2.6).
extension Router {
  /// The lifetime of a token for returning, in seconds (XEP-0484 §3).
  private static let returningLifetime = 21 * 86_400.0

  mutating func authenticated(
    _ request: Element, account: String, proof: String, on connection: ConnectionID,
    _ ledger: ServerTransaction
  ) throws {
    guard try ledger.accounts.exists(account) else {
      return try end(connection, StreamError(.notAuthorized), ledger)
    }
    var success = Element("success", Namespace.sasl2)
    if !proof.isEmpty {
      success.append(Element("additional-data", Namespace.sasl2, text: proof))
    }
    if let token = try returningToken(request, of: account, ledger) { success.append(token) }
    var after: [Element] = []
    if let resume = request.first("resume", Namespace.streamManagement) {
      collected[connection] = []
      try self.resume(resume, account: account, on: connection, ledger)
      let answers = collected.removeValue(forKey: connection) ?? []
      // It may have ended the stream: then there is no client to go on with.
      guard streams[connection]?.phase != .ended else { return }
      if let first = answers.first { success.append(first) }
      after = Array(answers.dropFirst())
    }
    if carried[connection] == nil, let bind = request.first("bind", Namespace.bind2) {
      success.append(try bound(bind, request, account: account, on: connection, ledger))
    }
    guard streams[connection]?.phase != .ended else { return }
    let jid = carried[connection].flatMap { sessions[$0]?.jid } ?? address(of: account)
    success.append(
      Element("authorization-identifier", Namespace.sasl2, text: jid.description))
    for element in [success, streams[connection]?.sessionFeatures].compactMap({ $0 }) + after {
      outputs[connection, default: Outbound()].write(element)
    }
  }

  private mutating func bound(
    _ bind: Element, _ request: Element, account: String, on connection: ConnectionID,
    _ ledger: ServerTransaction
  ) throws -> Element {
    var bound = Element("bound", Namespace.bind2)
    let tag = bind.childText("tag", Namespace.bind2) ?? "client"
    // The same client has the same name each time, without revealing its own (XEP-0386 §3.1).
    let client = request.first("user-agent", Namespace.sasl2)?["id"]
    let suffix =
      try client.map {
        hex(Array(try crypto.hash(Array("\(account) \($0)".utf8), by: .sha256).prefix(6)))
      } ?? randomIdentifier(byteCount: 6)
    let wanted = Element("resource", Namespace.bind, text: "\(tag)~\(suffix)")
    let question = Element(
      "iq", Namespace.client, ["type": "set", "id": "bind"],
      [Element("bind", Namespace.bind, [:], [wanted])])
    collected[connection] = []
    defer { collected[connection] = nil }
    try self.bind(question, account: account, on: connection, ledger)
    guard let session = carried[connection] else { return bound }
    if bind.first("enable", Namespace.carbons) != nil {
      sessions[session]?.hasCarbons = true
      bound.append(Element("enabled", Namespace.carbons))
    }
    if let enable = bind.first("enable", Namespace.streamManagement) {
      collected[connection] = []
      try manage(enable, session, ledger)
      for answer in collected[connection] ?? [] { bound.append(answer) }
    }
    return bound
  }

  /// The token that the client asked for.
  private func returningToken(_ request: Element, of account: String, _ ledger: ServerTransaction)
    throws
    -> Element?
  {
    guard
      request.first("request-token", Namespace.reconnectionToken)?["mechanism"]
        == StreamHandler.returningMechanism,
      let client = request.first("user-agent", Namespace.sasl2)?["id"], !client.isEmpty,
      client.utf8.count <= 256
    else { return nil }
    let expires = now() + Self.returningLifetime
    let token = TokenStore.Returning(
      secret: "secret-token:natter-" + randomIdentifier(byteCount: 24), expires: expires)
    try ledger.tokens.setReturning(token, of: account, client: client)
    return Element(
      "token", Namespace.reconnectionToken,
      [
        "token": token.secret,
        "expiry": XEP0082DateTime.text(for: Date(timeIntervalSince1970: expires)),
      ])
  }
}
