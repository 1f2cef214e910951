import XMPP

/// Whose a bare address is, as far as that is known here.
package enum AddressOwner: Hashable, Sendable {
  case room
  case person
  /// Nobody has told: it may be a room.
  case unknown

  /// Whoever `jid` stands for, of whose bare address this is: a person who is known here, whichever of his devices it names, or
  /// else somebody in a room, be that room known or not. He is never cut to the room: what is for him alone everybody would read.
  /// - Parameter isConversation: whether there is a conversation of that very address.
  package func meant(by jid: JID, isConversation: Bool) -> JID {
    self == .person && !isConversation ? jid.bare : jid
  }
}

/// Knows whom an address means, from what is kept of an account and the rooms that it is in.
package struct AddressBook: Sendable {
  private let account: JID
  private let rooms: (any RoomReading)?
  private let conversations: any ConversationStoring
  private let roster: any RosterStoring

  /// - Parameter rooms: `nil` where there are none.
  package init(
    of account: JID, rooms: (any RoomReading)?, conversations: any ConversationStoring,
    roster: any RosterStoring
  ) {
    self.account = account.bare
    self.rooms = rooms
    self.conversations = conversations
    self.roster = roster
  }

  /// Whether a bare address is known to be a room's, in which somebody is or was.
  /// - Throws: `StorageError`.
  package func isRoom(_ jid: JID) async throws -> Bool {
    if await rooms?.rooms().contains(where: { $0.jid == jid }) == true { return true }
    return try await conversations.conversation(jid)?.kind == .room
  }

  /// Whom something for `jid` is for, as `AddressOwner` says; a room that he is in is a conversation from here on.
  /// - Throws: `StorageError`.
  package func meant(by jid: JID) async throws -> JID {
    if jid.isBare { return jid }
    let owner = try await owner(of: jid.bare)
    if owner == .room { _ = try await openRoom(of: jid) }
    // Of a person's device the conversation is the person's.
    let isConversation = try await conversations.conversation(jid)?.jid == jid
    return owner.meant(by: jid, isConversation: isConversation)
  }

  /// Makes a conversation of the room that somebody is in, as without one the database cuts his address to the room's.
  /// - Returns: it, where it was none.
  /// - Throws: `StorageError`.
  package func openRoom(of occupant: JID) async throws -> Conversation? {
    let room = occupant.bare
    if try await conversations.conversation(room)?.kind == .room { return nil }
    return try await conversations.open(room, kind: .room)
  }

  /// Whose a bare address is.
  /// - Throws: `StorageError`.
  package func owner(of jid: JID) async throws -> AddressOwner {
    if try await isRoom(jid) { return .room }
    if jid == account { return .person }
    if try await conversations.conversation(jid) != nil { return .person }
    return try await roster.contact(jid) != nil ? .person : .unknown
  }
}
