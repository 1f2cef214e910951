import Crypto
import XMPP

/// One client of an occupant.
struct OccupantSession: Sendable {
  let id: ConnectionID
  /// Its full address.
  let address: String
  /// What it last said of itself, without addresses and what rooms add.
  var presence: Element
}

/// Somebody in a room, with one client or several that share the nickname.
struct Occupant: Sendable {
  let nickname: String
  let account: JID
  /// The same for all of the account's stays (XEP-0421).
  let id: String
  var role: RoomRole
  /// In the order in which they came; never empty.
  var sessions: [OccupantSession]
  /// What others see of it, with its address and without, written out once for all of them.
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

/// What the room is about, as the occupant `nickname` has said (XEP-0045 §8.1).
struct RoomSubject: Hashable, Sendable {
  let text: String
  let nickname: String
  /// Seconds since 1970.
  let time: Double
}

/// A room with those who are in it (XEP-0045).
struct Room: Sendable {
  let jid: JID
  /// What occupants' ids are made with.
  let secret: [UInt8]
  var settings = RoomSettings()
  var affiliations: [JID: Affiliation] = [:]
  var subject: RoomSubject?
  /// Whether it waits for its owner to set it up (§10.1).
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

  /// The occupant that a session is part of.
  func occupant(of id: ConnectionID) -> Occupant? { nicknames[id].flatMap { occupants[$0] } }

  func occupants(of account: JID) -> [Occupant] {
    occupants.values.filter { $0.account == account }
  }

  func address(_ nickname: String) -> String { "\(jid)/\(nickname)" }

  /// The role that an affiliation brings (§5.1.2).
  func role(for affiliation: Affiliation) -> RoomRole {
    switch affiliation {
    case .owner, .admin: .moderator
    case .member: .participant
    case .none: settings.isModerated ? .visitor : .participant
    case .outcast: .none
    }
  }

  /// The id that `account` has in this room and nowhere else (XEP-0421 §3).
  func occupantID(of account: JID, _ crypto: CryptoLibrary) throws -> String {
    hex(
      Array(
        try crypto.hmac(Array(account.bare.description.utf8), key: secret, by: .sha256)
          .prefix(16)))
  }

  // MARK: Coming and going

  mutating func add(_ session: OccupantSession, to occupant: Occupant) {
    nicknames[session.id] = occupant.nickname
    if occupants[occupant.nickname] == nil { occupants[occupant.nickname] = occupant }
    occupants[occupant.nickname]?.sessions.removeAll { $0.id == session.id }
    occupants[occupant.nickname]?.sessions.append(session)
    refresh(occupant.nickname)
  }

  /// Removes a session, and its occupant where it was the last one.
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

  // MARK: What it says

  /// `<x/>` with an occupant's standing and status codes (§7.2.3).
  func standing(
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
    var standing = Element("x", Names.roomUser, [:], [item])
    for code in codes {
      standing.append(Element("status", Names.roomUser, ["code": String(code.rawValue)]))
    }
    return standing
  }

  /// An occupant's presence as others see it.
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
      standing(of: occupant, showsAddress: showsAddress, codes, change: change))
    return presence
  }

  /// The message that tells the subject (§7.2.15); an empty one where there is none.
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

/// How an occupant's standing changes, for the item in its presence.
struct OccupantChange: Sendable {
  var role: RoomRole
  var affiliation: Affiliation?
  /// The new one, of an occupant that takes another.
  var nickname: String?
  /// The nickname of who changed it, and why.
  var actor: String?
  var reason: String?
  /// The last words of somebody who leaves.
  var farewell: String?

  /// Whether nobody of this nickname is there afterwards.
  var isLeaving: Bool { role == .none || nickname != nil }
}
