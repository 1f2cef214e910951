import JSONLines
import NatterCore
import XMPP

/// Rooms.
enum RoomMethods {
  private static let room = BridgeParameter.required("conversation", .address)

  static let all: [BridgeMethod] = [
    BridgeMethod("rooms.list", .readRooms, of: .accounts, [ObjectPage.skip]) { call in
      try await call.list("rooms") { account in
        try await account.services.rooms.rooms().map { room in
          ListedObject(
            jid: room.jid, kind: .room, object: JSONLine { $0.add(room, of: account.jid) })
        }
      }
    },
    BridgeMethod("rooms.get", .readRooms, [room]) { call in
      let (account, room) = (try call.account.jid, try await call.room())
      return JSONLine { $0.add("room") { $0.add(room, of: account) } }
    },
    BridgeMethod("rooms.members", .readRooms, [room, ObjectPage.skip]) { call in
      let room = try await call.room()
      let occupants = try await call.services.rooms.occupants(of: room.jid)
        .sorted { $0.nick.utf8.lexicographicallyPrecedes($1.nick.utf8) }
      return JSONLine {
        $0.add("occupants", call.page(occupants) { occupant in JSONLine { $0.add(occupant) } })
      }
    },
    BridgeMethod(
      "rooms.join", .changeRooms,
      [room, BridgeParameter("nick", .filled(1023)), BridgeParameter("password", .text(1023))]
    ) { call in
      let jid = try call.roomAddress()
      guard jid.local != nil else {
        throw BridgeError.parameter("conversation", "is not the address of a room")
      }
      let arguments = call.arguments
      try await call.services.rooms.join(
        jid, nick: arguments.text("nick"), password: arguments.text("password"))
      return try await call.roomAnswer(jid)
    },
    BridgeMethod("rooms.leave", .changeRooms, [room]) { call in
      let room = try await call.room()
      try await call.services.rooms.leave(room.jid)
      return try await call.roomAnswer(room.jid)
    },
    BridgeMethod("rooms.topic", .changeRooms, [room, .required("topic", .text(16_384))]) { call in
      let room = try await call.room()
      try await call.services.rooms.setSubject(call.text("topic"), of: room.jid)
      return try await call.roomAnswer(room.jid)
    },
    BridgeMethod(
      "rooms.invite", .changeRooms,
      [room, .required("address", .address), BridgeParameter("reason", .text(1024))]
    ) { call in
      let room = try await call.room()
      try await call.services.rooms.invite(
        call.address("address").bare, to: room.jid, reason: call.arguments.text("reason"))
      return JSONLine()
    },
    BridgeMethod("rooms.nick", .changeRooms, [room, .required("nick", .filled(1023))]) { call in
      let room = try await call.room()
      try await call.services.rooms.changeNick(call.text("nick"), in: room.jid)
      return try await call.roomAnswer(room.jid)
    },
  ]
}

extension BridgeCall {
  /// Returns the bare address of the parameter `conversation`, which is to be a room's.
  /// - Throws: `BridgeError.Code.permission` outside of the scope.
  func roomAddress() throws(BridgeError) -> JID {
    let jid = try address("conversation").bare
    if let permission, try !subject.scope.contains(jid, .room) {
      throw .permission(permission, .notDeclared, scope: jid.description)
    }
    return jid
  }

  /// Returns the room of the parameter `conversation`.
  /// - Throws: `BridgeError.Code.notFound` if it is not known.
  func room() async throws -> Room {
    let jid = try roomAddress()
    guard let room = try await services.rooms.rooms().first(where: { $0.jid == jid }) else {
      throw BridgeError(.notFound, "no such room")
    }
    return room
  }

  /// Returns the answer with the state of a room; an empty one if it is not known any more.
  func roomAnswer(_ jid: JID) async throws -> JSONLine {
    let account = try account.jid
    let room = try await services.rooms.rooms().first { $0.jid == jid }
    return JSONLine { line in
      if let room { line.add("room") { $0.add(room, of: account) } }
    }
  }
}
