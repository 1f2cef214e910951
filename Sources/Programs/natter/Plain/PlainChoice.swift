import NatterCore
import Text
import ViewModels
import XMPP

/// The choice of a conversation in line mode: `/chat` and `/msg`.
struct PlainChoice {
  let session: PlainSession

  /// The JID for a nick in the current room, or for a name elsewhere: an occupant takes precedence
  /// over a contact.
  func named(_ text: String) async -> JID? {
    if !text.hasAddressMark, let room = session.current?.bare, session.rooms[room] != nil {
      let nicks = await session.ports.rooms.occupants(of: room).map(\.nick)
      if let jid = NickMatch.nick(text, among: nicks).flatMap({ room.with(resource: $0) }) {
        return jid
      }
    }
    return session.person(text)
  }

  /// `/msg ADDRESS|NICK [TEXT]`
  func message(_ argument: String) async {
    if let room = session.current?.bare, session.rooms[room] != nil,
      !CommandCall(rest: argument).split.first.hasAddressMark
    {
      let nicks = await session.ports.rooms.occupants(of: room).map(\.nick)
      if let (nick, text) = NickMatch.leading(argument, among: nicks),
        let jid = room.with(resource: nick)
      {
        return await message(text, to: jid)
      }
    }
    let room = JID(typed: CommandCall(rest: argument).split.first)?.bare
    var nicks: [String] = []
    if let room {
      nicks = await session.ports.rooms.occupants(of: room).map(\.nick)
      // Includes occupants who have left, so that they are not taken for others whose nick is a
      // prefix of theirs.
      let known = (try? await session.ports.conversations.conversations()) ?? []
      nicks += known.filter { $0.jid.bare == room }.compactMap(\.jid.resource)
    }
    let (who, text) = CommandCall(rest: argument).address(nicks: nicks)
    guard !who.isEmpty else {
      return PlainHelp(session: session).showUsage(of: "msg")
    }
    if let jid = session.person(who) { await message(text, to: jid) }
  }

  /// `/chat ADDRESS|NICK`
  func chat(_ argument: String) async {
    guard !argument.isEmpty else {
      return PlainHelp(session: session).showUsage(of: "chat")
    }
    guard let jid = await named(argument) else { return }
    await open(jid)
    // A text for the input (XEP-0147 §3), which another author may have written: it is not sent.
    guard session.current?.bare == jid.bare, let address = ResourceAddress(argument),
      address.scheme == .xmpp, address.query == "message",
      let text = address.parameters["body"], !text.isEmpty
    else { return }
    session.say("plain.address-text", ["text": text])
  }

  /// Opens the conversation with a contact or an occupant, or a known room.
  func open(_ jid: JID) async {
    do {
      let jid = try await session.partner(jid)
      if try await offersToJoin(jid) { return }
      // A known room stays one, even if its row does not say so.
      let kind: Conversation.ConversationKind = try await session.isRoom(jid) ? .room : .direct
      let conversation = try await session.ports.conversations.open(jid, kind: kind)
      session.say("plain.chatting", ["name": session.name(conversation.jid)])
      try await session.showNewest(of: conversation.jid)
    } catch {
      session.report(error)
    }
  }

  /// Says how to join if an unknown address is a room: a message to it reaches no occupant unless
  /// the user joins.
  /// - Returns: `true` if it is a room.
  private func offersToJoin(_ jid: JID) async throws -> Bool {
    guard try await session.addresses.mayBeRoom(jid), await session.ports.rooms.isRoom(jid)
    else { return false }
    session.say("plain.is-room", ["room": jid.description])
    return true
  }

  private func message(_ text: String, to jid: JID) async {
    guard !text.isEmpty else { return await open(jid) }
    do {
      let jid = try await session.partner(jid)
      if try await offersToJoin(jid) { return }
      session.current = jid
      await session.send(text)
    } catch {
      session.report(error)
    }
  }
}
