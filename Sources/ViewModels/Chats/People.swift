import NatterCore
import XMPP

/// What a view model knows of the people it names: roster, presence, conversations' names.
///
/// A value: each view model keeps its own and applies the same events to it.
nonisolated package struct People: Sendable {
  package private(set) var contacts: [JID: Contact] = [:]
  private var presence: [JID: ContactPresence] = [:]
  private var names: [JID: String] = [:]
  /// The addresses that are rooms, and what is known of those that tell.
  private var roomAddresses: Set<JID> = []
  private var rooms: [JID: Room] = [:]
  /// Conversations with one person in a room, which may not be known.
  private var occupants: Set<JID> = []
  /// Grows with each change of who is a contact, what contacts are called and which of them are rooms.
  package private(set) var edition = 0

  package init() {}

  /// - Returns: whether anything changed.
  package mutating func apply(_ event: DomainEvent) -> Bool {
    switch event {
    case .contactsChanged(let changed):
      for var contact in changed {
        // The roster's news say nothing of what he calls himself.
        let known = contacts[contact.jid.bare]
        contact.nickname = contact.nickname ?? known?.nickname
        contacts[contact.jid.bare] = contact
        if known == nil || known?.name != contact.name || known?.nickname != contact.nickname {
          edition += 1
        }
      }
      return !changed.isEmpty
    case .contactsRemoved(let removed):
      for jid in removed where contacts.removeValue(forKey: jid.bare) != nil { edition += 1 }
      return !removed.isEmpty
    case .presenceChanged(let changed):
      for one in changed { presence[one.jid.bare] = one }
      return !changed.isEmpty
    case .conversationsChanged(let changed):
      var isNew = false
      for conversation in changed {
        if names[conversation.jid] != conversation.name {
          names[conversation.jid] = conversation.name
          isNew = true
          if contacts[conversation.jid] != nil { edition += 1 }
        }
        if conversation.isPrivate { occupants.insert(conversation.jid) }
        if conversation.kind == .room, roomAddresses.insert(conversation.jid).inserted {
          isNew = true
          if contacts[conversation.jid] != nil { edition += 1 }
        }
      }
      return isNew
    case .roomsChanged(let changed):
      for room in changed {
        let isNew = roomAddresses.insert(room.jid).inserted
        // Which contacts are rooms is told apart, too.
        if contacts[room.jid] != nil, isNew || rooms[room.jid]?.name != room.name { edition += 1 }
        rooms[room.jid] = room
      }
      return !changed.isEmpty
    case .connectionChanged(let state) where !state.isOnline:
      // Without a connection nobody's presence is known (RFC 6121 §4.4.3).
      defer { presence = [:] }
      return !presence.isEmpty
    default: return false
    }
  }

  /// The name on lists and headers, in one line: the conversation's own, the roster's, or the address.
  package func name(of jid: JID) -> String {
    let bare = jid.bare
    if roomAddresses.contains(bare) {
      let room = [names[bare], rooms[bare]?.name].compactMap { $0 }
        .first(where: \.isVisible).map(ProblemText.oneLine)
      let name = room ?? jid.shownLocal ?? jid.domain
      return jid.resource.map { "\(Self.nick($0)) (\(name))" } ?? name
    }
    if let nick = jid.resource, names[jid] == nil, occupants.contains(jid) {
      return Self.nick(nick)
    }
    for name in [names[bare], contacts[bare]?.name, contacts[bare]?.nickname] {
      if let name, name.isVisible { return ProblemText.oneLine(name) }
    }
    return bare.shown
  }

  /// The name beside messages: the first word of the name, or the address's local part.
  package func shortName(of jid: JID) -> String {
    if roomAddresses.contains(jid.bare) { return jid.resource.map(Self.nick) ?? name(of: jid) }
    let name = name(of: jid)
    if name == jid.bare.shown { return jid.shownLocal ?? jid.domain }
    return name.split(whereSeparator: \.isWhitespace).first(where: \.isVisible).map(String.init)
      ?? name
  }

  /// A nick as it is shown: one of which nothing is to be seen by the numbers of its characters, so that two of them differ.
  package static func nick(_ nick: String) -> String {
    guard !nick.isVisible else { return ProblemText.oneLine(nick) }
    return nick.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }
      .joined(separator: " ")
  }

  package func isRoom(_ jid: JID) -> Bool { jid.isBare && roomAddresses.contains(jid) }

  /// Whether it is somebody in a room.
  package func isOccupant(_ jid: JID) -> Bool { !jid.isBare && roomAddresses.contains(jid.bare) }

  /// The rooms that are known: those that the person is in, was in, or has a bookmark of.
  var knownRooms: some Collection<JID> { rooms.keys }

  /// The rooms that the person is in, by name.
  package var roomsInside: [Room] {
    rooms.values.filter { $0.phase == .inside }.sorted { name(of: $0.jid) < name(of: $1.jid) }
  }

  /// The room as it stands, or the room that somebody is in.
  package func room(_ jid: JID) -> Room? { rooms[jid.bare] }

  /// What is known of how available somebody is.
  package enum Sight: Hashable, Sendable {
    case seen(Availability)
    /// He was asked to show it, and has not answered.
    case asked
    /// He is a contact, and does not show it.
    case hidden
    /// He is no contact: his server shows it to nobody who is none (RFC 6121 §3.1).
    case stranger
  }

  package func sight(of jid: JID) -> Sight {
    // Some servers say "unavailable" of whoever has just been asked: that tells nothing.
    if let known = presence[jid.bare], known.availability != .offline {
      return .seen(known.availability)
    }
    guard let contact = contacts[jid.bare] else { return .stranger }
    switch contact.subscription {
    case .to, .both: return .seen(.offline)
    case .none, .from: return contact.isPending ? .asked : .hidden
    }
  }

  /// How available somebody is as far as is known; whoever does not show it counts as offline.
  package func availability(of jid: JID) -> Availability {
    presence[jid.bare]?.availability ?? .offline
  }

  /// What he says of himself beside his availability, in one line.
  package func status(of jid: JID) -> String? {
    presence[jid.bare]?.status.map(ProblemText.oneLine).flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension VoiceRequest {
  /// Who asks, with his address where the room tells it: `carol (carol@example.org)`.
  nonisolated package var asker: String {
    People.nick(nick) + (jid.map { " (\($0.bare.shown))" } ?? "")
  }
}
