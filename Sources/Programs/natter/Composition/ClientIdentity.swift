import Configuration
import Crypto
import FoundationEssentials
import Glibc
import MessagingService
import NatterCore
import PeopleService
import XML
import XMPP

/// The identity of this program to others (XEP-0030, XEP-0092, XEP-0115, XEP-0202).
nonisolated struct ClientIdentity: Sendable {
  private let crypto: CryptoLibrary
  /// The answers to queries, by the query's namespace.
  let answers: [String: @Sendable (IQ) async -> Element?]

  /// The version that `natter --version` prints.
  static let version = "0.1.0"
  static let name = "Natter"
  /// Identifies the program in capabilities; the address is never fetched.
  private static let node = "https://natter.invalid/"

  private let discovery: XEP0030Discovery
  /// The data that is sent to others automatically.
  let privacy: Settings.Privacy
  private let isHeadless: Bool

  /// - Parameters:
  ///   - privacy: features that the user disabled are not offered.
  ///   - isHeadless: no user reads here: the client is away, and sends neither read markers nor
  ///     typing notices.
  init(crypto: CryptoLibrary, privacy: Settings.Privacy = .init(), isHeadless: Bool = false) {
    self.crypto = crypto
    self.isHeadless = isHeadless
    var privacy = privacy
    if isHeadless { (privacy.sendsMarkers, privacy.sendsTyping) = (false, false) }
    self.privacy = privacy
    var features: Set<String> = [
      Namespace.discoInfo, Namespace.capabilities, Namespace.ping, Namespace.version,
      Namespace.time, XEP0490Displayed.notifications, XEP0045.namespace,
      XEP0402Bookmark.namespace + "+notify",
      Feed.personalNode + "+notify", XEP0471Event.namespace,
      XEP0471Event.personalNode + "+notify", XEP0471Event.formerNamespace + "+notify",
      ProfileFetcher.nicknames + "+notify", ProfileFetcher.avatars + "+notify",
    ]
    if privacy.sendsIdle { features.insert(XEP0012LastActivity.namespace) }
    var unwanted: [any MessagePayload.Type] = []
    if !privacy.sendsReceipts { unwanted.append(ReceiptPayload.self) }
    if !privacy.sendsMarkers { unwanted.append(MarkerPayload.self) }
    if !privacy.sendsTyping { unwanted.append(ChatStatePayload.self) }
    features.formUnion(MessagePayloads.features(without: unwanted))
    let discovery = XEP0030Discovery(
      identities: [.init(category: "client", type: "console", name: Self.name)],
      features: features)
    self.discovery = discovery
    answers = [
      Namespace.discoInfo: { iq in
        let node = iq.payload?["node"]
        // Another node was asked for, and this client has none.
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

  /// The storage of the own presence between runs.
  func memory(_ store: any PresenceStoring) -> any PresenceStoring {
    isHeadless ? HeadlessPresence(over: store) : store
  }

  /// The current offset of the zone that this process runs in.
  private static var secondsEastOfUTC: Int {
    var now = time(nil)
    var fields = tm()
    localtime_r(&now, &fields)
    return fields.tm_gmtoff
  }

  /// The `<c/>` of each presence; `nil` when nothing can be hashed.
  var capabilities: Element? { Self.announcement(of: discovery, crypto)?.element }

  /// Hashed when it is needed, and not cached: the libraries that hash are loaded by the first
  /// connection.
  private static func announcement(of discovery: XEP0030Discovery, _ crypto: CryptoLibrary)
    -> XEP0115Capabilities?
  {
    guard let version = try? XEP0115Capabilities.version(of: discovery, crypto: crypto) else {
      return nil
    }
    return XEP0115Capabilities(node: node, version: version)
  }

  /// The name of this client for the server of `account`, the same in each run; different for each
  /// account, so that servers cannot link accounts. `nil` when the seed cannot be stored, or
  /// nothing can be hashed.
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
