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
      Namespace.discoInfo, Namespace.discoItems, Namespace.stanzaIDs,
    ]))
  /// What accounts can do with what they publish (XEP-0060 §10).
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

  /// What the domain answers to `disco#info`; `nil` for a node there is not.
  func server(node: String?) -> Element? {
    guard node == nil || node == "\(Names.capabilitiesNode)#\(hash)" else { return nil }
    return Self.server.element(node: node)
  }

  /// What an account answers to `disco#info`.
  func account(node: String?) -> Element? { node == nil ? Self.account.element() : nil }

  /// What a node of an account answers to `disco#info` (XEP-0060 §5.3).
  func node(_ name: String) -> Element {
    XEP0030Discovery(
      identities: [.init(category: "pubsub", type: "leaf")],
      features: [Names.nodes, Namespace.discoInfo]
    ).element(node: name)
  }

  /// What the guide answers to `disco#info`.
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

  /// What the domain of the rooms answers to `disco#info` (XEP-0045 §6.1).
  var rooms: Element {
    XEP0030Discovery(
      identities: [.init(category: "conference", type: "text", name: "Rooms")],
      features: [
        Names.occupantIDs, Names.rooms, Names.selfPing, Namespace.discoInfo, Namespace.discoItems,
        Namespace.ping, Namespace.version,
      ]
    ).element()
  }

  /// What a room answers to `disco#info` (XEP-0045 §6.4).
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
        Namespace.discoInfo, Namespace.discoItems, Namespace.stanzaIDs,
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
