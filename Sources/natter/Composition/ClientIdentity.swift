import Configuration
import Crypto
import FoundationEssentials
import Glibc
import NatterCore
import PeopleService
import XMPP

/// What this program tells others of itself (XEP-0030, XEP-0092, XEP-0115, XEP-0202).
nonisolated struct ClientIdentity: Sendable {
  private let crypto: CryptoLibrary
  /// What answers which question, by the question's namespace.
  let answers: [String: @Sendable (IQ) async -> Element?]

  /// The version that `natter --version` prints.
  static let version = "0.1.0"
  static let name = "Natter"
  /// Names the program in capabilities; nobody fetches it.
  private static let node = "https://natter.invalid/"

  private let discovery: XEP0030Discovery

  /// - Parameter privacy: what the person does not want told is not offered either.
  init(crypto: CryptoLibrary, privacy: Settings.Privacy = .init()) {
    self.crypto = crypto
    var features: Set<String> = [
      Namespace.discoInfo, Namespace.capabilities, Namespace.ping, Namespace.version,
      Namespace.time, Namespace.stanzaIDs, XEP0490Displayed.notifications,
      XEP0045.namespace, XEP0249.namespace, XEP0402Bookmark.namespace + "+notify",
      XEP0308Correction.namespace, XEP0428Fallback.namespace, XEP0461Reply.namespace,
      XEP0444Reactions.namespace, XEP0424Retraction.namespace,
      Feed.personalNode + "+notify", XEP0471Event.namespace,
      XEP0471Event.personalNode + "+notify", XEP0471Event.formerNamespace + "+notify",
      ProfileFetcher.nicknames + "+notify", ProfileFetcher.avatars + "+notify",
    ]
    if privacy.sendsReceipts { features.insert(Namespace.receipts) }
    if privacy.sendsMarkers { features.insert(XEP0333Marker.namespace) }
    if privacy.sendsIdle { features.insert(XEP0012LastActivity.namespace) }
    if privacy.sendsTyping { features.insert(XEP0085ChatState.namespace) }
    let discovery = XEP0030Discovery(
      identities: [.init(category: "client", type: "console", name: Self.name)],
      features: features)
    self.discovery = discovery
    answers = [
      Namespace.discoInfo: { iq in
        let node = iq.payload?["node"]
        // Asked for another node: this client has none.
        guard
          node == nil
            || node
              == Self.announcement(of: discovery, crypto).map({ "\(Self.node)#\($0.version)" })
        else { return nil }
        return discovery.element(node: node)
      },
      Namespace.discoItems: { _ in Element("query", Namespace.discoItems) },
      Namespace.version: { _ in
        XEP0092Version(name: Self.name, version: Self.version).element
      },
      Namespace.time: { _ in
        XEP0202Time(utc: Date(), offset: Self.secondsEastOfUTC).element
      },
    ]
  }

  /// Of the zone that this process runs in, now.
  private static var secondsEastOfUTC: Int {
    var now = time(nil)
    var fields = tm()
    localtime_r(&now, &fields)
    return fields.tm_gmtoff
  }

  /// The `<c/>` of each presence; `nil` when nothing can be hashed.
  var capabilities: Element? { Self.announcement(of: discovery, crypto)?.element }

  /// Hashed when it is needed, and not kept: the libraries that hash are loaded by the first connection.
  private static func announcement(of discovery: XEP0030Discovery, _ crypto: CryptoLibrary)
    -> XEP0115Capabilities?
  {
    guard let version = try? XEP0115Capabilities.version(of: discovery, crypto: crypto) else {
      return nil
    }
    return XEP0115Capabilities(node: node, version: version)
  }

  /// What this client is called to the server of `account`, from one run to the next; another name for each account, so that
  /// nobody can tell that they belong together. `nil` when the seed cannot be kept, or nothing can be hashed.
  static func userAgent(of account: JID, seed: ClientIDFile, _ crypto: CryptoLibrary)
    -> XEP0388UserAgent?
  {
    guard let seed = try? seed.seed(random: { randomIdentifier(byteCount: 16) }),
      var id = try? crypto.hash(Array("\(seed) \(account.bare)".utf8), by: .sha256).prefix(16)
    else { return nil }
    // A UUID of random bits (RFC 9562 §5.4).
    id[6] = id[6] & 0x0F | 0x40
    id[8] = id[8] & 0x3F | 0x80
    let digits = hex(Array(id))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return XEP0388UserAgent(id: text, software: name)
  }
}
