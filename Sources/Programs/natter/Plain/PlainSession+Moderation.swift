import NatterCore
import Text
import ViewModels
import XMPP

// The actions of moderators and owners of a room in line mode (XEP-0045 §8, §9).
extension PlainSession {
  /// `/topic [TEXT]`: prints or sets the subject of the room; `-` removes it.
  func topic(_ argument: String) async {
    await inRoom { rooms, room in
      guard argument.isEmpty else {
        return try await rooms.setSubject(argument == "-" ? "" : argument, of: room)
      }
      let subject = await ports.rooms.rooms().first { $0.jid == room }?.subject ?? ""
      if subject.isEmpty { say("status.noTopic") } else { say("status.topic", ["text": subject]) }
    }
  }

  /// `/kick NICK [REASON]`
  func kick(_ argument: String) async {
    await inRoom(argument, "kick") { rooms, room in
      let (nick, reason) = await meant(by: argument, in: room)
      try await rooms.setRole(.none, of: nick, in: room, reason: reason)
    }
  }

  /// `/ban NICK|ADDRESS [REASON]`
  func ban(_ argument: String) async {
    await inRoom(argument, "ban") { rooms, room in
      let (person, reason) = await meant(by: argument, in: room)
      try await rooms.setAffiliation(.outcast, of: person, in: room, reason: reason)
      say("status.banned", ["name": People.nick(person)])
    }
  }

  /// `/unban ADDRESS`
  func unban(_ argument: String) async {
    await inRoom(argument, "unban") { rooms, room in
      try await rooms.setAffiliation(.none, of: argument, in: room, reason: nil)
      say("status.unbanned", ["name": argument])
    }
  }

  /// `/affiliation owner|admin|member|none|outcast [NICK|ADDRESS]`: sets it; alone, lists them.
  func affiliation(_ argument: String) async {
    let (word, person) = CommandCall(rest: argument).split
    await inRoom(argument, "affiliation") { rooms, room in
      guard let affiliation = Occupant.Affiliation(rawValue: word.lowercased()) else {
        throw NatterError(.invalidInput, "error.room.noAffiliation", ["name": word])
      }
      guard person.isEmpty else {
        try await rooms.setAffiliation(affiliation, of: person, in: room, reason: nil)
        return say(
          "status.affiliation",
          ["name": People.nick(person), "affiliation": affiliation.rawValue])
      }
      let people = try await rooms.people(with: affiliation, in: room)
      let names = localizer.list(people.map { $0.jid?.description ?? People.nick($0.nick) })
      say(
        people.isEmpty ? "status.nobodyWith" : "status.peopleWith",
        ["affiliation": affiliation.rawValue, "names": names])
    }
  }

  /// `/role visitor|participant|moderator NICK`: sets the role of an occupant.
  func role(_ argument: String) async {
    let (word, nick) = CommandCall(rest: argument).split
    await inRoom(nick, "role") { rooms, room in
      guard let role = Occupant.Role(rawValue: word.lowercased()), role != .none else {
        throw NatterError(.invalidInput, "error.room.noRole", ["name": word])
      }
      try await rooms.setRole(role, of: nick, in: room, reason: nil)
      say("status.role.\(role.rawValue)", ["name": People.nick(nick)])
    }
  }

  /// An occupant of `room` or an address, and the reason that follows.
  private func meant(by argument: String, in room: JID) async -> (person: String, reason: String?) {
    let nicks = await ports.rooms.occupants(of: room).map(\.nick)
    let (person, reason) = CommandCall(rest: argument).nick(among: nicks)
    return (person, reason.isEmpty ? nil : reason)
  }
}
