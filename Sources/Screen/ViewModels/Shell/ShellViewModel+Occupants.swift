import NatterCore
import XMPP

// Addresses of occupants. Never reduced to the room's: a private message would go to everyone.
extension ShellViewModel {
  /// The conversation of `jid`, as far as it is loaded: input cannot wait for the database.
  func meant(by jid: JID) -> JID {
    owner(of: jid.bare).meant(by: jid, isConversation: sidebar.conversation(jid) != nil)
  }

  private func owner(of jid: JID) -> AddressOwner {
    if people.isRoom(jid) { return .room }
    let isPerson =
      people.contacts[jid] != nil || jid == format.account.bare
      || sidebar.conversation(jid)?.kind == .direct
    return isPerson ? .person : .unknown
  }

  /// The same from all that is kept.
  var addresses: AddressBook {
    AddressBook(
      of: format.account, rooms: ports.rooms?.reading, conversations: ports.conversations,
      roster: ports.roster)
  }

  /// The account of `jid`: an occupant's as far as the room reveals it.
  /// - Throws: `NatterError` where it does not.
  func contactAddress(_ jid: JID) throws -> JID {
    guard people.isOccupant(jid) else { return jid.bare }
    if let account = members.occupant(jid)?.jid?.bare { return account }
    throw NatterError(
      .invalidInput, "error.room.hidesAddress", ["name": People.nick(jid.resource ?? "")])
  }

  package func contact(_ text: String) throws -> JID { try contactAddress(person(text)) }

  /// Returns the obstacle to a message to an occupant; `nil` if there is none, or no occupant.
  func absence(of jid: JID) -> NatterError? {
    guard let nick = jid.resource else { return nil }
    let arguments = ["name": People.nick(nick), "room": jid.bare.description]
    guard people.isOccupant(jid) else {
      guard sidebar.conversation(jid) == nil, owner(of: jid.bare) == .unknown else {
        return nil
      }
      return NatterError(.refused, "error.room.unknownForOne", arguments)
    }
    guard let room = people.room(jid), room.phase != .outside else {
      return NatterError(.refused, "error.room.outsideForOne", arguments)
    }
    guard room.nick != nick else {
      return NatterError(.invalidInput, "error.ownAddress", ["text": jid.description])
    }
    if room.phase == .inside {
      guard members.occupant(jid) == nil else { return nil }
      return NatterError(.refused, "error.room.absent", arguments)
    }
    // The occupants are not known yet: only a conversation that exists already can go on.
    guard sidebar.conversation(jid) == nil else { return nil }
    return NatterError(.refused, "error.room.notYetInside", arguments)
  }

  package func addressee(_ call: CommandCall) throws -> (jid: JID, text: String) {
    try Addressee(shell: self).read(call)
  }

  /// The room that is open, or that the open private conversation is in.
  var openRoomAddress: JID? {
    sidebar.active.map(\.bare).flatMap { people.isRoom($0) ? $0 : nil }
  }
}
