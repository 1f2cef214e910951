import Crypto
import Foundation
import XMPP

/// What this program tells others of itself (XEP-0030, XEP-0092, XEP-0115, XEP-0202).
nonisolated struct ClientIdentity: Sendable {
  /// The `<c/>` of each presence.
  let capabilities: Element
  /// What answers which question, by the question's namespace.
  let answers: [String: @Sendable (IQ) -> Element?]

  /// The version that `natter --version` prints.
  static let version = "0.1.0"
  static let name = "Natter"
  /// Names the program in capabilities; nobody fetches it.
  private static let node = "https://natter.invalid/"

  private static let discovery = XEP0030Discovery(
    identities: [.init(category: "client", type: "console", name: name)],
    features: [
      Namespace.discoInfo, Namespace.capabilities, Namespace.ping, Namespace.version,
      Namespace.time, Namespace.receipts, Namespace.stanzaIDs,
    ])

  /// - Throws: `CryptoError`.
  init(crypto: CryptoLibrary) throws {
    let version = try XEP0115Capabilities.version(of: Self.discovery, crypto: crypto)
    capabilities = XEP0115Capabilities(node: Self.node, version: version).element
    answers = [
      Namespace.discoInfo: { iq in
        let node = iq.payload?["node"]
        // Asked for another node: this client has none.
        guard node == nil || node == "\(Self.node)#\(version)" else { return nil }
        return Self.discovery.element(node: node)
      },
      Namespace.discoItems: { _ in Element("query", Namespace.discoItems) },
      Namespace.version: { _ in
        XEP0092Version(name: Self.name, version: Self.version).element
      },
      Namespace.time: { _ in
        XEP0202Time(utc: Date(), offset: TimeZone.current.secondsFromGMT()).element
      },
    ]
  }
}
