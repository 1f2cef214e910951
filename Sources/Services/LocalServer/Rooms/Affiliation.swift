/// The lasting relation of an account to a room (XEP-0045 §5.2).
enum Affiliation: String, Sendable, CaseIterable, Comparable {
  case outcast, none, member, admin, owner

  static func < (a: Affiliation, b: Affiliation) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .outcast: 0
    case .none: 1
    case .member: 2
    case .admin: 3
    case .owner: 4
    }
  }
}

/// The permissions of an occupant while it is in the room (XEP-0045 §5.1).
enum RoomRole: String, Sendable, Comparable {
  case none, visitor, participant, moderator

  static func < (a: RoomRole, b: RoomRole) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .none: 0
    case .visitor: 1
    case .participant: 2
    case .moderator: 3
    }
  }
}

/// The status codes in presences and messages of rooms (XEP-0045 §15.6.2).
enum RoomStatus: Int, Sendable {
  case showsAddresses = 100
  case isYours = 110
  case settingsChanged = 104
  case isArchived = 170
  case isNotArchived = 171
  case isNonAnonymous = 172
  case isSemiAnonymous = 173
  case isCreated = 201
  case banned = 301
  case newNickname = 303
  case kicked = 307
  case affiliationLost = 321
  case membersOnlyNow = 322
}
