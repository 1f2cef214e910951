import NatterCore
import XMPP

// Commands for rooms (XEP-0045).
extension Command {
  /// `/join ROOM [NICK [PASSWORD]]`: joins a room, or creates it.
  package static let join = Command("join", aliases: ["j"], [.room, .text], required: 1) {
    call, context in
    let request = call.joinRequest
    context.joinRoom(request.room, nick: request.nick, password: request.password)
  }

  /// `/leave [ROOM]`: leaves a room, without automatic rejoining.
  package static let leave = Command("leave", aliases: ["part"], [.room]) { call, context in
    try context.leaveRoom(call.rest)
  }

  /// `/members`: shows or hides the occupants.
  package static let members = Command("members", aliases: ["names", "who"]) { _, context in
    try context.toggleMembers()
  }

  /// `/nick NAME`: changes the nick in this room.
  package static let nick = Command("nick", [.text], required: 1) { call, context in
    try context.inRoom(nil) { room, ports in
      try await ports.entering.changeNick(call.rest, in: room)
    }
  }

  /// `/topic [TEXT]`: shows or sets the room's subject; `-` removes it.
  package static let topic = Command("topic", aliases: ["subject"], [.text]) { call, context in
    guard !call.rest.isEmpty else { return try context.showTopic() }
    try context.inRoom(nil) { room, ports in
      try await ports.moderating.setSubject(call.rest == "-" ? "" : call.rest, of: room)
    }
  }

  /// `/invite ADDRESS [REASON]`
  package static let invite = Command("invite", [.person, .text], required: 1) { call, context in
    let (who, reason) = call.split
    let guest = try context.contact(who)
    try context.inRoom(StatusNotice(.info, "status.invited", ["name": guest.description])) {
      try await $1.moderating.invite(guest, to: $0, reason: reason)
    }
  }

  /// `/kick NICK [REASON]`: removes an occupant, who can rejoin.
  package static let kick = Command("kick", [.occupant, .text], required: 1) { call, context in
    let (nick, reason) = context.nick(call)
    try context.inRoom(nil) {
      try await $1.moderating.setRole(.none, of: nick, in: $0, reason: reason)
    }
  }

  /// `/ban NICK|ADDRESS [REASON]`: removes an occupant permanently.
  package static let ban = Command("ban", [.occupant, .text], required: 1) { call, context in
    let (person, reason) = context.nick(call)
    try context.inRoom(StatusNotice(.info, "status.banned", ["name": person])) {
      try await $1.moderating.setAffiliation(.outcast, of: person, in: $0, reason: reason)
    }
  }

  /// `/unban ADDRESS`
  package static let unban = Command("unban", [.person], required: 1) { call, context in
    try context.inRoom(StatusNotice(.info, "status.unbanned", ["name": call.rest])) {
      try await $1.moderating.setAffiliation(.none, of: call.rest, in: $0, reason: nil)
    }
  }

  /// `/affiliation owner|admin|member|none|outcast [NICK|ADDRESS]`: sets an affiliation; without an
  /// address, lists the holders.
  package static let affiliation = Command(
    "affiliation", [.affiliation, .occupant], required: 1
  ) { call, context in
    let (word, person) = call.split
    guard let affiliation = Occupant.Affiliation(rawValue: word.lowercased()) else {
      throw NatterError(.invalidInput, "error.room.noAffiliation", ["name": word])
    }
    guard !person.isEmpty else {
      return try context.listPeople(with: affiliation)
    }
    try context.inRoom(
      StatusNotice(.info, "status.affiliation", ["name": person, "affiliation": word.lowercased()])
    ) {
      try await $1.moderating.setAffiliation(affiliation, of: person, in: $0, reason: nil)
    }
  }

  /// `/role visitor|participant|moderator NICK`: sets an occupant's role (XEP-0045 §8.3, §8.4,
  /// §9.6).
  package static let role = Command("role", [.role, .occupant], required: 2) { call, context in
    let (word, nick) = call.split
    guard let role = Occupant.Role(rawValue: word.lowercased()), role != .none else {
      throw NatterError(.invalidInput, "error.room.noRole", ["name": word])
    }
    try context.inRoom(StatusNotice(.info, "status.role.\(role.rawValue)", ["name": nick])) {
      try await $1.moderating.setRole(role, of: nick, in: $0, reason: nil)
    }
  }

  /// `/voice`: requests voice from the moderators (XEP-0045 §7.13).
  package static let voice = Command("voice") { _, context in
    try context.inRoom(StatusNotice(.info, "status.voiceAsked")) {
      try await $1.voices.askForVoice(in: $0)
    }
  }

  /// `/config`: opens the settings of the room.
  package static let config = Command("config", aliases: ["configure"]) { _, context in
    try context.configureRoom()
  }

  /// `/destroy [REASON]`: destroys the room.
  package static let destroy = Command("destroy", [.text]) { call, context in
    try context.destroyRoom(reason: call.rest)
  }
}
