import JSONLines
import NatterCore
import XMPP

/// Moderating rooms.
enum ModerationMethods {
  private static let room = BridgeParameter.required("conversation", .address)
  private static let reason = BridgeParameter("reason", .text(1024))

  static let all: [BridgeMethod] = [
    BridgeMethod(
      "rooms.kick", .moderateRooms, [room, .required("nick", .filled(1023)), reason]
    ) { call in
      try await call.setRole(.none, of: call.text("nick"))
    },
    BridgeMethod(
      "rooms.ban", .moderateRooms, [room, .required("occupant", .filled(3071)), reason]
    ) { call in
      try await call.setAffiliation(.outcast, of: call.text("occupant"))
    },
    BridgeMethod(
      "rooms.role", .moderateRooms,
      [
        room, .required("nick", .filled(1023)),
        .required("role", .choice(Occupant.Role.allCases.map(\.rawValue))), reason,
      ]
    ) { call in
      guard let role = Occupant.Role(rawValue: try call.text("role")) else {
        throw BridgeError.parameter("role", "is not known")
      }
      return try await call.setRole(role, of: call.text("nick"))
    },
    BridgeMethod(
      "rooms.affiliation", .moderateRooms,
      [
        room, .required("occupant", .filled(3071)),
        .required("affiliation", .choice(Occupant.Affiliation.allCases.map(\.rawValue))), reason,
      ]
    ) { call in
      guard let affiliation = Occupant.Affiliation(rawValue: try call.text("affiliation")) else {
        throw BridgeError.parameter("affiliation", "is not known")
      }
      return try await call.setAffiliation(affiliation, of: call.text("occupant"))
    },
    BridgeMethod(
      "rooms.retract", .moderateRooms, [.required("message", .message), reason]
    ) { call in
      let account = try call.account
      let message = try await call.message()
      guard try await account.kind(of: message.conversation) == .room, !message.isRetracted,
        let id = message.stanzaID
      else {
        throw BridgeError.parameter("message", "is not a message that a room can retract")
      }
      // The room sends it to all occupants, and this one: the message changes with that.
      try await account.services.rooms.retract(
        id, in: message.conversation, reason: call.arguments.text("reason"))
      return JSONLine()
    },
  ]
}

extension BridgeCall {
  fileprivate func setRole(_ role: Occupant.Role, of nick: String) async throws -> JSONLine {
    let room = try await room()
    try await services.rooms.setRole(
      role, of: nick, in: room.jid, reason: arguments.text("reason"))
    return JSONLine()
  }

  fileprivate func setAffiliation(
    _ affiliation: Occupant.Affiliation, of occupant: String
  ) async throws -> JSONLine {
    let room = try await room()
    try await services.rooms.setAffiliation(
      affiliation, of: occupant, in: room.jid, reason: arguments.text("reason"))
    return JSONLine()
  }
}
