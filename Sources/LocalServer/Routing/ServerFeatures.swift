import Crypto
import XMPP

/// What the server, its accounts and its guide say about themselves (XEP-0030, XEP-0092, XEP-0115).
struct ServerFeatures: Sendable {
  /// The hash of the server's answer, which clients may keep instead of asking (XEP-0115 §5).
  let hash: String
  private let version: String

  private static let server = XEP0030Discovery(
    identities: [.init(category: "server", type: "im", name: "Natter")],
    features: [
      Names.carbons, Names.privateStorage, Names.vcard, Names.offline, Namespace.discoInfo,
      Namespace.discoItems, Namespace.ping, Namespace.register, Namespace.roster,
      Namespace.stanzaIDs, Namespace.time, Namespace.version,
    ])
  private static let account = XEP0030Discovery(
    identities: [.init(category: "account", type: "registered")],
    features: [
      Names.privateStorage, Names.vcard, Namespace.discoInfo, Namespace.discoItems,
      Namespace.stanzaIDs,
    ])

  init(crypto: CryptoLibrary, version: String) throws {
    self.version = version
    hash = try XEP0115Capabilities.version(of: Self.server, crypto: crypto)
  }

  /// What the domain answers to `disco#info`; `nil` for a node there is not.
  func server(node: String?) -> Element? {
    guard node == nil || node == "\(Names.capabilitiesNode)#\(hash)" else { return nil }
    return Self.server.element(node: node)
  }

  /// What an account answers to `disco#info`.
  func account(node: String?) -> Element? { node == nil ? Self.account.element() : nil }

  /// What the guide answers to `disco#info`.
  func guide(name: String, node: String?) -> Element? {
    guard node == nil else { return nil }
    return XEP0030Discovery(
      identities: [.init(category: "client", type: "bot", name: name)],
      features: [Namespace.discoInfo, Namespace.ping, Namespace.receipts, Namespace.version]
    ).element()
  }

  /// The answer to a version query (XEP-0092).
  var versionAnswer: Element {
    Element(
      "query", Namespace.version, [:],
      [
        Element("name", Namespace.version, text: "Natter"),
        Element("version", Namespace.version, text: version),
      ])
  }

  /// The answer to a time query (XEP-0202).
  func timeAnswer(_ now: String) -> Element {
    Element(
      "time", Namespace.time, [:],
      [
        Element("tzo", Namespace.time, text: "+00:00"),
        Element("utc", Namespace.time, text: now),
      ])
  }
}
