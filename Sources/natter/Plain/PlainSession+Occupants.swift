import NatterCore
import ViewModels
import XMPP

// Somebody in a room, meant by his address there. It is never cut to the room's: what is for him alone everybody would read.
extension PlainSession {
  private var addresses: AddressBook {
    AddressBook(
      of: account.jid, rooms: ports.rooms, conversations: ports.conversations, roster: ports.roster)
  }

  /// Whether a bare address is known to be a room.
  func isRoom(_ jid: JID) async throws -> Bool {
    if rooms[jid] != nil { return true }
    return try await addresses.isRoom(jid)
  }

  /// Whoever `jid` stands for.
  func meant(by jid: JID) async throws -> JID { try await addresses.meant(by: jid) }

  /// The same of somebody to whom something is to be said.
  /// - Throws: `NatterError` where he is in a room, and nothing can be said to him.
  func partner(_ jid: JID) async throws -> JID {
    let jid = try await meant(by: jid)
    guard let nick = jid.resource else { return jid }
    let words = ["name": People.nick(nick), "room": jid.bare.description]
    guard try await isRoom(jid.bare) else {
      throw NatterError(.refused, "error.room.unknownForOne", words)
    }
    guard let room = rooms[jid.bare], room.phase != .outside else {
      throw NatterError(.refused, "error.room.outsideForOne", words)
    }
    guard room.nick != nick else {
      throw NatterError(.invalidInput, "error.ownAddress", ["text": jid.description])
    }
    if room.phase == .inside {
      let isThere = await ports.rooms.occupants(of: jid.bare).contains { $0.nick == nick }
      if !isThere { throw NatterError(.refused, "error.room.absent", words) }
    } else if try await ports.conversations.conversation(jid) == nil {
      // Who is there is not known; to whom one talked before one can go on talking.
      throw NatterError(.refused, "error.room.notYetInside", words)
    }
    return jid
  }

  /// The account that `jid` is of: of somebody in a room as far as the room tells it.
  /// - Throws: `NatterError` where it does not.
  func contact(_ jid: JID) async throws -> JID {
    let jid = try await meant(by: jid)
    guard let nick = jid.resource else { return jid }
    guard try await isRoom(jid.bare) else { return jid.bare }
    let occupant = await ports.rooms.occupants(of: jid.bare).first { $0.nick == nick }
    if let account = occupant?.jid?.bare { return account }
    throw NatterError(.invalidInput, "error.room.hidesAddress", ["name": People.nick(nick)])
  }

  /// Whom a nick in the room that is talked to means, or a name elsewhere: an occupant comes before a contact.
  func named(_ text: String) async -> JID? {
    if !text.hasAddressSign, let room = current?.bare, rooms[room] != nil {
      let nicks = await ports.rooms.occupants(of: room).map(\.nick)
      if let jid = NickMatch.nick(text, among: nicks).flatMap({ room.with(resource: $0) }) {
        return jid
      }
    }
    return person(text)
  }

  /// `/msg JID|NICK [TEXT]`
  func message(_ argument: String) async {
    if let room = current?.bare, rooms[room] != nil,
      !CommandCall(rest: argument).split.first.hasAddressSign
    {
      let nicks = await ports.rooms.occupants(of: room).map(\.nick)
      if let (nick, text) = NickMatch.leading(argument, among: nicks),
        let jid = room.with(resource: nick)
      {
        return await message(text, to: jid)
      }
    }
    let room = JID(userInput: CommandCall(rest: argument).split.first)?.bare
    var nicks: [String] = []
    if let room {
      nicks = await ports.rooms.occupants(of: room).map(\.nick)
      // Whoever has left is not taken for another one whose nick his begins with.
      let known = (try? await ports.conversations.conversations()) ?? []
      nicks += known.filter { $0.jid.bare == room }.compactMap(\.jid.resource)
    }
    let (who, text) = CommandCall(rest: argument).address(nicks: nicks)
    guard !who.isEmpty else { return say("plain.usage", ["usage": "/msg JID|NICK [TEXT]"]) }
    if let jid = person(who) { await message(text, to: jid) }
  }

  /// `/chat JID|NICK`
  func chat(_ argument: String) async {
    guard !argument.isEmpty else { return say("plain.usage", ["usage": "/chat JID|NICK"]) }
    if let jid = await named(argument) { await open(jid) }
  }

  /// Chooses the conversation with somebody, or a room that is known.
  private func open(_ jid: JID) async {
    do {
      let jid = try await partner(jid)
      if try await offersToJoin(jid) { return }
      // A room that is known stays one, also where its row does not say so.
      let kind: Conversation.Kind = try await isRoom(jid) ? .room : .direct
      let conversation = try await ports.conversations.open(jid, kind: kind)
      say("plain.chatting", ["name": name(conversation.jid)])
      try await showNewest(of: conversation.jid)
    } catch {
      report(error)
    }
  }

  /// Whether an unknown address is a room's: a message to one from outside reaches nobody.
  private func offersToJoin(_ jid: JID) async throws -> Bool {
    guard jid.isBare, jid.domain != account.jid.domain,
      try await addresses.owner(of: jid) == .unknown, await ports.rooms.isRoom(jid)
    else { return false }
    say("plain.is-room", ["room": jid.description])
    return true
  }

  private func message(_ text: String, to jid: JID) async {
    guard !text.isEmpty else { return await open(jid) }
    do {
      let jid = try await partner(jid)
      if try await offersToJoin(jid) { return }
      current = jid
      await send(text)
    } catch {
      report(error)
    }
  }
}
