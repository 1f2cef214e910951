import XMPP

/// The kind of owner of a bare address, as far as it is known here.
package enum AddressOwner: Hashable, Sendable {
  case room
  case person
  /// Not known yet: the address may be a room's.
  case unknown

  /// Returns the address that `jid` means, where the receiver owns its bare address: the bare JID
  /// of a known contact, whichever resource `jid` names, or else the full JID of an occupant, in a
  /// known or an unknown room.
  ///
  /// Never reduces an occupant's JID to the room's: a private message would go to everyone.
  /// - Parameter isConversation: `true` if a conversation with exactly this address exists.
  package func meant(by jid: JID, isConversation: Bool) -> JID {
    self == .person && !isConversation ? jid.bare : jid
  }
}

/// Resolves which conversation an address means, from the stored data of an account and the rooms
/// that it is in.
package struct AddressBook: Sendable {
  private let account: JID
  private let rooms: (any RoomReading)?
  private let conversations: any ConversationStoring
  private let roster: any RosterStoring

  /// - Parameter rooms: `nil` without room support.
  package init(
    of account: JID, rooms: (any RoomReading)?, conversations: any ConversationStoring,
    roster: any RosterStoring
  ) {
    self.account = account.bare
    self.rooms = rooms
    self.conversations = conversations
    self.roster = roster
  }

  /// Returns whether a bare address belongs to a known room that the user is or was in.
  /// - Throws: `StorageError`.
  package func isRoom(_ jid: JID) async throws -> Bool {
    if await rooms?.rooms().contains(where: { $0.jid == jid }) == true { return true }
    return try await conversations.conversation(jid)?.kind == .room
  }

  /// Returns the address that `jid` means, as `AddressOwner` decides. The room of an occupant
  /// becomes a conversation.
  /// - Throws: `StorageError`.
  package func meant(by jid: JID) async throws -> JID {
    if jid.isBare { return jid }
    let owner = try await owner(of: jid.bare)
    if owner == .room { _ = try await openRoom(of: jid) }
    // Messages from any resource of a contact belong to the contact's conversation.
    let isConversation = try await conversations.conversation(jid)?.jid == jid
    return owner.meant(by: jid, isConversation: isConversation)
  }

  /// Makes a conversation of the room of `occupant`. Without it, the database reduces the
  /// occupant's address to the room's.
  /// - Returns: the conversation, if it is new.
  /// - Throws: `StorageError`.
  package func openRoom(of occupant: JID) async throws -> Conversation? {
    let room = occupant.bare
    if try await conversations.conversation(room)?.kind == .room { return nil }
    return try await conversations.open(room, kind: .room)
  }

  /// Returns the kind of owner of a bare address.
  /// - Throws: `StorageError`.
  package func owner(of jid: JID) async throws -> AddressOwner {
    if try await isRoom(jid) { return .room }
    if jid == account { return .person }
    if try await conversations.conversation(jid) != nil { return .person }
    return try await isContact(jid) ? .person : .unknown
  }

  /// Returns whether an address is on no list of the account and may be a room's. At the account's
  /// own server it is another account's.
  /// - Throws: `StorageError`.
  package func mayBeRoom(_ jid: JID) async throws -> Bool {
    guard jid.isBare, jid.local != nil, jid.domain != account.domain else { return false }
    switch try await owner(of: jid) {
    case .unknown: return true
    case .room: return false
    case .person:
      // A message that a room refused leaves a hidden conversation.
      guard try await !isContact(jid) else { return false }
      return try await conversations.hiddenConversations().contains { $0.jid == jid }
    }
  }

  /// Returns whether a bare address is in the roster.
  /// - Throws: `StorageError`.
  package func isContact(_ jid: JID) async throws -> Bool {
    try await roster.contact(jid) != nil
  }
}
