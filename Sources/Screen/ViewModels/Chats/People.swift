import NatterCore
import Text
import XMPP

/// The names and presence of people, for a view model: roster, presence, names of conversations.
///
/// A value: each view model keeps its own copy and applies the same events to it.
nonisolated package struct People: Sendable {
  package private(set) var contacts: [JID: Contact] = [:]
  private var presence: [JID: ContactPresence] = [:]
  private var names: [JID: String] = [:]
  /// The addresses that are rooms, and the data of those whose data is known.
  private var roomAddresses: Set<JID> = []
  private var rooms: [JID: Room] = [:]
  /// Conversations with an occupant of a room, which may be unknown.
  private var occupants: Set<JID> = []
  /// Grows with each change of the set of contacts, their names, and which of them are rooms.
  package private(set) var edition = 0
  /// The keywords that notify the user.
  package private(set) var words = NotifyKeywords()
  /// All names of contacts and rooms, by their appearance.
  private var looks = NameLooks()
  private let own: OwnNames

  /// - Parameter own: the user's own names.
  package init(own: OwnNames = OwnNames()) { self.own = own }

  /// - Returns: whether anything changed.
  package mutating func apply(_ event: DomainEvent) -> Bool {
    switch event {
    case .contactsChanged(let changed):
      for var contact in changed {
        // Roster events do not contain the contact's own nickname.
        let known = contacts[contact.jid.bare]
        contact.nickname = contact.nickname ?? known?.nickname
        guard known == nil || known?.name != contact.name || known?.nickname != contact.nickname
        else {
          contacts[contact.jid.bare] = contact
          continue
        }
        renaming(contact.jid.bare) { $0.contacts[contact.jid.bare] = contact }
        edition += 1
      }
      return !changed.isEmpty
    case .contactsRemoved(let removed):
      for jid in removed where contacts[jid.bare] != nil {
        renaming(jid.bare) { $0.contacts[jid.bare] = nil }
        edition += 1
      }
      return !removed.isEmpty
    case .presenceChanged(let changed):
      for one in changed { presence[one.jid.bare] = one }
      return !changed.isEmpty
    case .conversationsChanged(let changed):
      var isNew = false
      for conversation in changed {
        if names[conversation.jid] != conversation.name {
          renaming(conversation.jid) { $0.names[conversation.jid] = conversation.name }
          isNew = true
          if contacts[conversation.jid] != nil { edition += 1 }
        }
        if conversation.isPrivate { occupants.insert(conversation.jid) }
        if conversation.kind == .room, !roomAddresses.contains(conversation.jid) {
          renaming(conversation.jid) { $0.roomAddresses.insert(conversation.jid) }
          isNew = true
          if contacts[conversation.jid] != nil { edition += 1 }
        }
      }
      return isNew
    case .roomsChanged(let changed):
      for room in changed {
        guard !roomAddresses.contains(room.jid) || rooms[room.jid]?.name != room.name else {
          rooms[room.jid] = room
          continue
        }
        // Lists distinguish the contacts that are rooms.
        if contacts[room.jid] != nil { edition += 1 }
        renaming(room.jid) {
          $0.roomAddresses.insert(room.jid)
          $0.rooms[room.jid] = room
        }
      }
      return !changed.isEmpty
    case .notifyKeywordsChanged(let changed):
      defer { words = changed }
      return words != changed
    case .connectionChanged(let state) where !state.isOnline:
      // Without a connection the presence of contacts is unknown (RFC 6121 §4.4.3).
      defer { presence = [:] }
      return !presence.isEmpty
    default: return false
    }
  }

  /// The name in lists and headers, in one line: the conversation's own, the roster's, or the
  /// address. A name that the user did not choose has the address beside it if it could be mistaken
  /// for another's (`claimed`).
  package func name(of jid: JID) -> String {
    let bare = jid.bare
    if roomAddresses.contains(bare) {
      let name = claimed(roomName(bare), by: bare)
      return jid.resource.map { "\(Self.nick($0)) (\(name))" } ?? name
    }
    // Any sender can write as if from an unknown room, under any nick.
    if let nick = jid.resource, names[jid] == nil, occupants.contains(jid) {
      return "\(Self.nick(nick)) (\(bare.shown))"
    }
    if let name = chosenName(of: bare) { return name }
    return nickname(of: bare).map { claimed($0, by: bare) } ?? bare.shown
  }

  /// Returns the addresses by name, without regard to case. Equal names have a fixed order too.
  func byName(_ addresses: some Sequence<JID>) -> [JID] {
    let named = addresses.map { (name: name(of: $0).lowercased(), jid: $0) }
    let sorted = named.sorted { first, second in
      if first.name != second.name { return first.name < second.name }
      return first.jid.description < second.jid.description
    }
    return sorted.map(\.jid)
  }

  /// The name beside messages: the first word of the name, or the address's local part.
  package func shortName(of jid: JID) -> String {
    if roomAddresses.contains(jid.bare) {
      return jid.resource == nil ? name(of: jid) : occupantName(of: jid)
    }
    if occupants.contains(jid), names[jid] == nil { return name(of: jid) }
    let name = name(of: jid)
    if name == jid.bare.shown { return address(jid) }
    let chosen = chosenName(of: jid.bare)
    if chosen == nil, name != nickname(of: jid.bare) { return name }
    let word = Self.firstWord(of: name)
    return chosen != nil || claimed(word, by: jid.bare) == word
      ? word : "\(name) (\(jid.bare.shown))"
  }

  /// The nick of an occupant other than the user. If it looks like the user's own, the room's
  /// address follows it.
  package func occupantName(of jid: JID) -> String {
    occupantName(of: jid, besides: rooms[jid.bare]?.nick)
  }

  /// The same for a user whose nick in the room is `own`.
  package func occupantName(of jid: JID, besides ownNick: String?) -> String {
    own.inRoom(as: ownNick).shown(jid.resource ?? "", at: jid)
  }

  /// The name of an address without one: its local part, which its owner chose.
  package func address(_ jid: JID) -> String { claimed(jid.shownLocal ?? jid.domain, by: jid) }

  /// Returns a name that others chose for `jid`, in one line, with the address if it looks like the
  /// name of a contact, a room or the user, or like an address.
  package func claimed(_ name: String, by jid: JID) -> String {
    let name = ErrorText.oneLine(name)
    // The address may follow the name already.
    guard name != jid.bare.shown, !name.hasSuffix(" (\(jid.bare.shown))") else { return name }
    let isOwn = jid.bare == own.account
    guard
      NameLooks.holdsAddress(name) || (!isOwn && own.looksOwn(name))
        || looks.isTaken(name, besides: calledNames(of: jid.bare))
    else { return name }
    return "\(name) (\(jid.bare.shown))"
  }

  /// The name that the user gave a contact.
  private func chosenName(of bare: JID) -> String? {
    [names[bare], contacts[bare]?.name].compactMap { $0 }.first(where: \.isVisible)
      .map(ErrorText.oneLine)
  }

  /// The nickname that a contact chose.
  private func nickname(of bare: JID) -> String? {
    contacts[bare]?.nickname.flatMap { $0.isVisible ? ErrorText.oneLine($0) : nil }
  }

  private func roomName(_ bare: JID) -> String {
    [names[bare], rooms[bare]?.name].compactMap { $0 }.first(where: \.isVisible)
      .map(ErrorText.oneLine) ?? bare.shownLocal ?? bare.domain
  }

  private static func firstWord(of name: String) -> String {
    name.split(whereSeparator: \.isWhitespace).first(where: \.isVisible).map(String.init) ?? name
  }

  /// Every name that a roster entry or a room has on the screen.
  private func calledNames(of bare: JID) -> [String] {
    var called: [String] = []
    if contacts[bare] != nil {
      if let name = chosenName(of: bare) ?? nickname(of: bare) {
        called += [name, Self.firstWord(of: name)]
      }
      if let local = bare.shownLocal { called.append(local) }
    }
    if roomAddresses.contains(bare) { called.append(roomName(bare)) }
    return called
  }

  private mutating func renaming(_ bare: JID, _ change: (inout People) -> Void) {
    looks.remove(calledNames(of: bare))
    change(&self)
    looks.add(calledNames(of: bare))
  }

  /// Returns a nick for display; an invisible nick becomes its code points, so that two of them
  /// differ.
  package static func nick(_ nick: String) -> String {
    guard !nick.isVisible else { return ErrorText.oneLine(nick) }
    return nick.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }
      .joined(separator: " ")
  }

  /// Returns true for the bare address of a known room.
  package func isRoom(_ jid: JID) -> Bool { jid.isBare && roomAddresses.contains(jid) }

  /// True if it is an occupant of a room.
  package func isOccupant(_ jid: JID) -> Bool { !jid.isBare && roomAddresses.contains(jid.bare) }

  /// The known rooms: those that the user is in, was in, or has a bookmark of.
  var knownRooms: some Collection<JID> { rooms.keys }

  /// The rooms that the user is in, by name.
  package var roomsInside: [Room] {
    rooms.values.filter { $0.phase == .inside }.sorted { name(of: $0.jid) < name(of: $1.jid) }
  }

  /// Returns the room with that address, or the room of that occupant.
  package func room(_ jid: JID) -> Room? { rooms[jid.bare] }

  /// Returns whether `jid` is a contact's, or that of a room of the user, not of its occupants.
  func isKnown(_ jid: JID) -> Bool { jid.isBare && (contacts[jid] != nil || rooms[jid] != nil) }

  /// The knowledge of a contact's presence.
  package enum Sight: Hashable, Sendable {
    case seen(Availability)
    /// Pending: the contact has not answered the subscription request.
    case asked
    /// The contact does not share their presence.
    case hidden
    /// Not a contact: the server shows presence to subscribers only (RFC 6121 §3.1).
    case stranger
  }

  /// Returns the knowledge of a contact's presence.
  package func sight(of jid: JID) -> Sight {
    // Some servers send "unavailable" for a contact whose subscription is pending: that means
    // nothing.
    if let known = presence[jid.bare], known.availability != .offline {
      return .seen(known.availability)
    }
    guard let contact = contacts[jid.bare] else { return .stranger }
    switch contact.subscription {
    case .to, .both: return .seen(.offline)
    case .none, .from: return contact.isPending ? .asked : .hidden
    }
  }

  /// Returns the availability as far as it is known; unshared presence counts as offline.
  package func availability(of jid: JID) -> Availability {
    presence[jid.bare]?.availability ?? .offline
  }

  /// Returns the status message that goes with the presence, in one line.
  package func status(of jid: JID) -> String? {
    presence[jid.bare]?.status.map(ErrorText.oneLine).flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension VoiceRequest {
  /// The nick of the requester, with their address if the room shows it:
  /// `carol (carol@example.org)`.
  nonisolated package var asker: String {
    People.nick(nick) + (jid.map { " (\($0.bare.shown))" } ?? "")
  }
}
