import Crypto
import XML
import XMPP

/// Signing in with all following requests in one step (XEP-0388, with inline XEP-0386, XEP-0198,
/// XEP-0280 and XEP-0484).
extension StreamHandler {
  static let returningMechanism = "HT-SHA-256-NONE"

  /// The `<authentication/>` element of the stream features before signing in.
  static var oneStepFeature: Element {
    func feature(_ namespace: String) -> Element {
      Element("feature", Namespace.bind2, ["var": namespace])
    }
    return Element(
      "authentication", Namespace.sasl2, [:],
      SASLExchange.mechanisms.map { Element("mechanism", Namespace.sasl2, text: $0) } + [
        Element(
          "inline", Namespace.sasl2, [:],
          [
            Element("sm", Namespace.streamManagement),
            Element(
              "bind", Namespace.bind2, [:],
              [
                Element(
                  "inline", Namespace.bind2, [:],
                  [feature(Namespace.streamManagement), feature(Namespace.carbons)])
              ]),
            Element(
              "fast", Namespace.reconnectionToken, [:],
              [
                Element("mechanism", Namespace.reconnectionToken, text: returningMechanism)
              ]),
          ])
      ])
  }

  mutating func oneStep(_ element: Element, keys: some KeyReading) throws -> [StreamStep] {
    let outcome: SASLExchange.Outcome
    switch element.name {
    case "authenticate":
      request = element
      let text = element.first("initial-response", Namespace.sasl2)?.text ?? ""
      if element["mechanism"] == Self.returningMechanism {
        outcome = try comeBack(text, element, keys: keys)
      } else {
        var exchange = SASLExchange(mechanism: element["mechanism"] ?? "", domain: domain, sasl)
        outcome = try exchange.begin(text, keys: keys)
        self.exchange = exchange
      }
    case "response":
      outcome = try exchange?.respond(element.text, keys: keys) ?? .failure(.malformedRequest)
    case "abort": outcome = .failure(.aborted)
    default: return end(StreamError(.unsupportedStanzaType))
    }
    switch outcome {
    case .challenge(let text): return [.send(Element("challenge", Namespace.sasl2, text: text))]
    case .success(let account, let text):
      guard let request else { return end(StreamError(.notAuthorized)) }
      exchange = nil
      self.request = nil
      didSignIn(account)
      return [.authenticated(request, account: account, proof: text)]
    case .failure(let failure):
      exchange = nil
      request = nil
      return refuse(
        Element("failure", Namespace.sasl2, [:], [Element(failure.rawValue, Namespace.sasl)]))
    }
  }

  /// Checks a client's XEP-0484 token: `user` NUL `HMAC(token, "Initiator")`.
  private func comeBack(_ text: String, _ element: Element, keys: some KeyReading) throws
    -> SASLExchange.Outcome
  {
    guard let bytes = Base64.decode(text), let zero = bytes.firstIndex(of: 0),
      let client = element.first("user-agent", Namespace.sasl2)?["id"],
      let account = Address.parse("\(String(decoding: bytes[..<zero], as: UTF8.self))@\(domain)")?
        .local
    else { return .failure(.malformedRequest) }
    let crypto = sasl.passwords.crypto
    guard let token = try keys.returning(of: account, client: client), token.expires > sasl.now()
    else { return .failure(.notAuthorized) }
    let key = Array(token.secret.utf8)
    let expected = try crypto.hmac(Array("Initiator".utf8), key: key, by: .sha256)
    guard isEqualInConstantTime(expected, Array(bytes[(zero + 1)...])) else {
      return .failure(.notAuthorized)
    }
    let proof = try crypto.hmac(Array("Responder".utf8), key: key, by: .sha256)
    return .success(account: account, Base64.encode(proof))
  }
}
