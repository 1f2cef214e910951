import Crypto
import XML
import XMPP

/// One client of an occupant.
struct OccupantSession: Sendable {
  let id: ConnectionID
  /// Its full address.
  let address: String
  /// The last presence it sent, without addresses and without what the room adds.
  var presence: Element
}

/// An occupant of a room, with one or more clients that share the nickname.
struct Occupant: Sendable {
  let nickname: String
  let account: JID
  /// The occupant id, the same each time the account joins (XEP-0421).
  let id: String
  var role: RoomRole
  /// In the order of joining; never empty.
  var sessions: [OccupantSession]
  /// The occupant's presence with and without the real JID, serialized once for all recipients.
  fileprivate(set) var open: Broadcast?
  fileprivate(set) var closed: Broadcast?

  init(
    nickname: String, account: JID, id: String, role: RoomRole, sessions: [OccupantSession]
  ) {
    self.nickname = nickname
    self.account = account
    self.id = id
    self.role = role
    self.sessions = sessions
  }

  var presence: Element? { sessions.last?.presence }
}

/// The subject of a room, set by the occupant `nickname` (XEP-0045 §8.1).
struct RoomSubject: Hashable, Sendable {
  let text: String
  let nickname: String
  /// Seconds since 1970.
  let time: Double
}

/// A room and its occupants (XEP-0045).
struct Room: Sendable {
  let jid: JID
  /// The HMAC key of the occupant ids.
  let secret: [UInt8]
  var settings = RoomSettings()
  var affiliations: [JID: Affiliation] = [:]
  var subject: RoomSubject?
  /// Indicates whether the room is locked until its owner configures it (§10.1).
  var isLocked = false
  /// By nickname.
  var occupants: [String: Occupant] = [:]
  private(set) var nicknames: [ConnectionID: String] = [:]

  init(_ jid: JID, secret: [UInt8]) {
    self.jid = jid
    self.secret = secret
  }

  var name: String { jid.local ?? "" }

  func affiliation(of account: JID) -> Affiliation { affiliations[account.bare] ?? .none }

  /// Returns the occupant that the session belongs to.
  func occupant(of id: ConnectionID) -> Occupant? { nicknames[id].flatMap { occupants[$0] } }

  func occupants(of account: JID) -> [Occupant] {
    occupants.values.filter { $0.account == account }
  }

  func address(_ nickname: String) -> String { "\(jid)/\(nickname)" }

  /// Returns the initial role of an affiliation (§5.1.2).
  func role(for affiliation: Affiliation) -> RoomRole {
    switch affiliation {
    case .owner, .admin: .moderator
    case .member: .participant
    case .none: settings.isModerated ? .visitor : .participant
    case .outcast: .none
    }
  }

  /// Returns the id of `account` in this room, which differs from its id in any other room
  /// (XEP-0421 §3).
  func occupantID(of account: JID, _ crypto: CryptoLibrary) throws -> String {
    hex(
      Array(
        try crypto.hmac(Array(account.bare.description.utf8), key: secret, by: .sha256)
          .prefix(16)))
  }

  // MARK: Joining and leaving

  mutating func add(_ session: OccupantSession, to occupant: Occupant) {
    nicknames[session.id] = occupant.nickname
    if occupants[occupant.nickname] == nil { occupants[occupant.nickname] = occupant }
    occupants[occupant.nickname]?.sessions.removeAll { $0.id == session.id }
    occupants[occupant.nickname]?.sessions.append(session)
    refresh(occupant.nickname)
  }

  /// Removes a session, and its occupant if it was the occupant's last session.
  mutating func remove(_ id: ConnectionID) {
    guard let nickname = nicknames.removeValue(forKey: id) else { return }
    occupants[nickname]?.sessions.removeAll { $0.id == id }
    if occupants[nickname]?.sessions.isEmpty ?? false {
      occupants[nickname] = nil
    } else {
      refresh(nickname)
    }
  }

  mutating func setRole(_ role: RoomRole, of nickname: String) {
    occupants[nickname]?.role = role
    refresh(nickname)
  }

  private mutating func refresh(_ nickname: String) {
    guard let occupant = occupants[nickname] else { return }
    let open = Broadcast(presence(of: occupant, showsAddress: true))
    let closed = Broadcast(presence(of: occupant, showsAddress: false))
    occupants[nickname]?.open = open
    occupants[nickname]?.closed = closed
  }

  // MARK: Stanzas

  /// Returns `<x/>` with an occupant's affiliation and role and with status codes (§7.2.3).
  func membership(
    of occupant: Occupant, showsAddress: Bool, _ codes: [RoomStatus] = [],
    change: OccupantChange? = nil
  ) -> Element {
    let affiliation = change?.affiliation ?? affiliation(of: occupant.account)
    let role = change.map(\.role) ?? occupant.role
    var item = Element(
      "item", Names.roomUser, ["affiliation": affiliation.rawValue, "role": role.rawValue])
    if showsAddress { item["jid"] = occupant.sessions.last?.address }
    item["nick"] = change?.nickname
    if let actor = change?.actor {
      item.append(Element("actor", Names.roomUser, ["nick": actor]))
    }
    if let reason = change?.reason, !reason.isEmpty {
      item.append(Element("reason", Names.roomUser, text: reason))
    }
    var membership = Element("x", Names.roomUser, [:], [item])
    for code in codes {
      membership.append(Element("status", Names.roomUser, ["code": String(code.rawValue)]))
    }
    return membership
  }

  /// Returns an occupant's presence as other occupants see it.
  func presence(
    of occupant: Occupant, showsAddress: Bool, _ codes: [RoomStatus] = [],
    change: OccupantChange? = nil
  ) -> Element {
    var presence = Element("presence", Namespace.client)
    if let change, change.isLeaving {
      presence["type"] = "unavailable"
      if let text = change.farewell {
        presence.append(Element("status", Namespace.client, text: text))
      }
    } else if let own = occupant.presence {
      presence = own
    }
    presence["from"] = address(occupant.nickname)
    presence.append(Element("occupant-id", Names.occupantIDs, ["id": occupant.id]))
    presence.append(
      membership(of: occupant, showsAddress: showsAddress, codes, change: change))
    return presence
  }

  /// Returns the message with the subject (§7.2.15), which is empty if the room has none.
  func subjectMessage() -> Element {
    var message = Element(
      "message", Namespace.client,
      [
        "type": "groupchat",
        "from": subject.map { address($0.nickname) } ?? jid.description,
      ])
    message.append(Element("subject", Namespace.client, text: subject?.text ?? ""))
    return message
  }
}

/// A change of an occupant's role, affiliation or nickname, for the item in its presence.
struct OccupantChange: Sendable {
  var role: RoomRole
  var affiliation: Affiliation?
  /// The new nickname, if the occupant changes it.
  var nickname: String?
  /// The nickname of the occupant that made the change, and the reason it gave.
  var actor: String?
  var reason: String?
  /// The status text of an occupant that leaves.
  var farewell: String?

  /// Indicates whether the room has no occupant with the old nickname after the change.
  var isLeaving: Bool { role == .none || nickname != nil }
}
