import Crypto
import XML
import XMPP

/// The service discovery and version answers of the server, its accounts, its rooms and its guide
/// (XEP-0030, XEP-0092, XEP-0115).
struct ServerFeatures: Sendable {
  /// The capabilities hash of the server, by which clients can cache its answer (XEP-0115 §5).
  let hash: String
  private let version: String

  private static let server = XEP0030Discovery(
    identities: [.init(category: "server", type: "im", name: "Natter")],
    features: [
      Names.blocking, Names.carbons, Names.privateStorage, Names.vcard, Names.offline,
      Namespace.discoInfo,
      Namespace.discoItems, Namespace.ping, Namespace.register, Namespace.roster,
      Namespace.stanzaIDs, Namespace.time, Namespace.version, XEP0363Slot.namespace,
    ],
    forms: [
      XEP0004DataForm(
        .result,
        fields: [
          .init("FORM_TYPE", kind: .hidden, values: [XEP0363Slot.namespace]),
          .init("max-file-size", values: [String(ServerSettings.uploadLimit)]),
        ])
    ])
  private static let account = XEP0030Discovery(
    identities: [
      .init(category: "account", type: "registered"), .init(category: "pubsub", type: "pep"),
    ],
    features: Set(nodeFeatures.map { "\(Names.nodes)#\($0)" }).union([
      Names.archiveExtended, Names.blocking, Names.carbons, Names.nodes, Names.privateStorage,
      Names.vcard, Namespace.archive,
      Namespace.discoInfo, Namespace.discoItems, Namespace.stanzaIDs, XEP0431FullText.feature,
    ]))
  /// The publish-subscribe features of accounts (XEP-0060 §10).
  private static let nodeFeatures = [
    "access-open", "access-presence", "access-whitelist", "auto-create", "auto-subscribe",
    "config-node", "config-node-max", "create-and-configure", "create-nodes", "delete-items",
    "delete-nodes", "filtered-notifications", "item-ids", "last-published", "member-affiliation",
    "meta-data", "modify-affiliations", "multi-items", "persistent-items",
    "presence-notifications", "publish", "publish-options", "purge-nodes", "retract-items",
    "retrieve-affiliations", "retrieve-default", "retrieve-items",
  ]

  init(crypto: CryptoLibrary, version: String) throws {
    self.version = version
    hash = try XEP0115Capabilities.version(of: Self.server, crypto: crypto)
  }

  /// Returns the domain's answer to `disco#info`, or `nil` for an unknown node.
  func server(node: String?) -> Element? {
    guard node == nil || node == "\(Names.capabilitiesNode)#\(hash)" else { return nil }
    return Self.server.element(node: node)
  }

  /// Returns an account's answer to `disco#info`, or `nil` for a node.
  func account(node: String?) -> Element? { node == nil ? Self.account.element() : nil }

  /// Returns the answer of an account's node to `disco#info` (XEP-0060 §5.3).
  func node(_ name: String) -> Element {
    XEP0030Discovery(
      identities: [.init(category: "pubsub", type: "leaf")],
      features: [Names.nodes, Namespace.discoInfo]
    ).element(node: name)
  }

  /// Returns the guide's answer to `disco#info`, or `nil` for a node.
  func guide(name: String, node: String?) -> Element? {
    guard node == nil else { return nil }
    return XEP0030Discovery(
      identities: [.init(category: "client", type: "bot", name: name)],
      features: [
        Namespace.discoInfo, Namespace.ping, Namespace.receipts, Namespace.version,
        XEP0333Marker.namespace,
      ]
    ).element()
  }

  /// The answer of the room service to `disco#info` (XEP-0045 §6.1).
  var rooms: Element {
    XEP0030Discovery(
      identities: [.init(category: "conference", type: "text", name: "Rooms")],
      features: [
        Names.occupantIDs, Names.rooms, Names.selfPing, Namespace.discoInfo, Namespace.discoItems,
        Namespace.ping, Namespace.version,
      ]
    ).element()
  }

  /// Returns a room's answer to `disco#info` (XEP-0045 §6.4).
  func room(_ room: Room) -> Element {
    let fields: [XEP0004DataForm.Field] = [
      .init("FORM_TYPE", kind: .hidden, values: [Names.roomDescription]),
      .init("muc#roominfo_description", values: [room.settings.description]),
      .init("muc#roominfo_occupants", values: [String(room.occupants.count)]),
      .init("muc#roominfo_subject", values: [room.subject?.text ?? ""]),
      .init(
        "muc#roominfo_changesubject", kind: .boolean,
        values: [room.settings.allowsSubjects ? "1" : "0"]),
    ]
    return XEP0030Discovery(
      identities: [
        .init(
          category: "conference", type: "text",
          name: room.settings.name.isEmpty ? room.name : room.settings.name)
      ],
      features: room.settings.features.union([
        Names.archiveExtended, Names.occupantIDs, Names.rooms, Names.selfPing, Namespace.archive,
        Namespace.discoInfo, Namespace.discoItems, Namespace.stanzaIDs, XEP0431FullText.feature,
      ]), forms: [XEP0004DataForm(.result, fields: fields)]
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

  /// Returns the answer to a time query (XEP-0202), which is in UTC.
  func timeAnswer(_ now: String) -> Element {
    Element(
      "time", Namespace.time, [:],
      [
        Element("tzo", Namespace.time, text: "+00:00"),
        Element("utc", Namespace.time, text: now),
      ])
  }
}
