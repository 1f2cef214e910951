import FoundationEssentials
import NatterCore
import XMPP

/// The state of one room, accumulated from the presences and messages it sends (XEP-0045 §7-10).
///
/// A value without I/O: it takes stanzas and returns the effects that follow from them.
struct RoomState {
  /// A consequence of a stanza, beside the changed state.
  enum Effect: Equatable {
    /// The user is inside now; a room that was created by entering it still has to be configured.
    case entered(isNew: Bool)
    /// The room has sent everything that it sends on entering.
    case settled
    /// The user is outside.
    case exited
    /// An exit came while the user was entering, and the room may have admitted them since.
    case exitedOnTheWay
    /// The room lost the user without notice: enter it again.
    case lost
    /// A presence or a message was refused, and the user may or may not be an occupant still.
    case doubted(StanzaError.Condition)
    /// The nick is taken: try another.
    case conflict
    case incident(RoomIncident)
    case voiceRequested(VoiceRequest)
    /// Stored fields of the bookmark have changed.
    case bookmarkChanged
    case notice(StatusNotice)
  }

  var room: Room
  var bookmark: Bookmark
  var occupants: [String: Occupant] = [:]
  /// The arrival of each occupant, by nick: before it, the nick may have been another's.
  private(set) var present: [String: Date] = [:]
  /// The user's own occupant id in the room (XEP-0421).
  var occupantID: String?
  var history = KnownHistory()
  /// A count of the attempts to enter: answers to an earlier attempt are ignored.
  var attempt = 0
  /// `true` once the room has sent everything that it sends on entering.
  var hasSettled = false
  /// The requested nick that is taken, while a generated one replaces it for this visit only.
  private(set) var takenNick: String?
  /// The attempts that failed, or did not last.
  var retries = EntryRetries()
  /// The time of the last stanza from the room; a ping is due when it is long ago.
  var lastHeard = Date.distantPast
  /// The user's presence as it was last sent to the room.
  var sent: OwnPresence?
  /// The nick that was requested while inside, and that the room has not answered yet.
  var askedNick: String?
  /// `true` if the database may still have the reason why the user was outside.
  private var isExitStored = false
  /// `true` if the user asked to enter just now, so that a bookmark is worth storing.
  var isFresh = false
  /// `true` if entering may create the room: not once entering is retried automatically.
  var mayBeMade: Bool { isFresh && retries.losses == 0 }
  /// The changes of the occupants in this batch.
  private(set) var changes: OccupantChanges
  private(set) var isChanged = false
  /// The occupants who ask for voice.
  var voiceRequests: [VoiceRequest] = []
  /// Voice requests of occupants who are changing their nick, by the new nick, until it is present.
  var renamedVoices: [String: VoiceRequest] = [:]

  init(bookmark: Bookmark, nick: String) {
    self.bookmark = bookmark
    room = Room(
      jid: bookmark.room, name: bookmark.name, nick: nick, subject: bookmark.subject,
      exit: bookmark.exit, autojoins: bookmark.autojoins, about: bookmark.about,
      pictureID: bookmark.pictureID)
    changes = OccupantChanges(room: bookmark.room)
  }

  /// Returns the changes since the last call, and resets them.
  mutating func takeChanges() -> (room: Room?, people: OccupantChanges?) {
    let isPeopled = changes.isReset || !changes.changed.isEmpty || !changes.removed.isEmpty
    defer {
      changes = OccupantChanges(room: room.jid)
      isChanged = false
    }
    room.people = occupants.count
    return (isChanged || isPeopled ? room : nil, isPeopled ? changes : nil)
  }

  /// Changes the published state of the room.
  mutating func update(_ change: (inout Room) -> Void) {
    let before = room
    change(&room)
    if room != before { isChanged = true }
  }

  // MARK: - Going in and out

  /// Begins to enter.
  mutating func begin(as nick: String) {
    attempt += 1
    hasSettled = false
    (askedNick, takenNick) = (nil, nil)
    history.begin()
    forgetPeople()
    update {
      $0.nick = nick
      $0.phase = .entering
      // An exit that may pass by itself stays visible while entering is retried.
      if $0.exit?.mayPass != true { $0.exit = nil }
    }
    isExitStored = isExitStored || bookmark.exit != nil
    bookmark.exit = nil
  }

  /// Begins to enter under another nick, because another occupant has this one.
  mutating func beginAsAnother() {
    let taken = wantedNick
    begin(as: room.nick + "_")
    takenNick = taken
  }

  /// The nick to request at the next entry.
  var wantedNick: String { bookmark.nick ?? takenNick ?? room.nick }

  /// Makes the nick that replaces a taken one the user's permanent nick.
  mutating func keepNick() {
    takenNick = nil
    bookmark.nick = room.nick
  }

  /// Records that the user is outside, with the reason; `nil`: at the user's request.
  mutating func end(_ exit: RoomExit?) {
    attempt += 1
    hasSettled = false
    forgetPeople()
    update {
      $0.phase = .outside
      $0.exit = exit
      $0.role = .none
    }
    bookmark.exit = exit
    bookmark.isWanted = exit?.mayPass ?? false
  }

  /// Records that the user is outside, and that the room is not entered automatically any more.
  /// - Returns: the occupant's JID to leave; `nil`: the user was not an occupant.
  mutating func giveUp() -> JID? {
    let occupant = room.phase == .outside ? nil : room.occupant
    end(nil)
    bookmark.autojoins = false
    update { $0.autojoins = false }
    return occupant
  }

  /// `true` if the server has the bookmark, or should have it.
  var isKept: Bool { bookmark.isPublished || bookmark.autojoins }

  /// `true` if the server has the bookmark as it is here.
  var isSettledAtServer: Bool {
    bookmark.isPublished && !bookmark.isChanged && bookmark.rule == nil
  }

  /// Records that the connection is gone: the room will be entered again.
  mutating func suspend() {
    attempt += 1
    hasSettled = false
    forgetPeople()
    if room.phase == .inside { update { $0.phase = .entering } }
  }

  private mutating func forgetPeople() {
    guard !occupants.isEmpty else { return }
    (occupants, present, renamedVoices) = ([:], [:], [:])
    changes = OccupantChanges(room: room.jid, isReset: true)
  }

  // MARK: - Presence

  mutating func apply(_ presence: PresenceStanza, nick: String?) -> [Effect] {
    if presence.kind == .error { return refused(presence.error, to: nick) }
    guard let said = XEP0045Presence(presence), let nick else { return [] }
    let isOwn =
      said.codes.contains(110)
      // Some rooms mark the presence of a changed nick with nothing else (§7.2.3).
      || (said.codes.contains(210) && room.phase == .entering)
      || (nick == room.nick && room.phase != .outside && presence.kind == .unavailable)
      || (nick == room.nick && room.phase == .entering)
    switch presence.kind {
    case .available:
      // A late presence of a room that was left already.
      guard room.phase != .outside else { return [] }
      return came(presence, said, nick: nick, isOwn: isOwn)
    case .unavailable:
      return isOwn ? ownLeft(said, nick: nick) : left(said, nick: nick)
    default: return []
    }
  }

  private mutating func came(
    _ presence: PresenceStanza, _ said: XEP0045Presence, nick: String, isOwn: Bool
  ) -> [Effect] {
    var occupant = Occupant(nick: nick)
    occupant.role = said.item?.role.flatMap(Occupant.Role.init) ?? .none
    occupant.affiliation = said.item?.affiliation.flatMap(Occupant.Affiliation.init) ?? .none
    occupant.availability = Availability(show: presence.show)
    occupant.status = presence.status?.beginning(bytes: Self.statusBytes)
    occupant.jid = said.item?.jid?.bare
    if room.traits.contains(.occupantIDs) { occupant.occupantID = presence.occupantID }
    // The earlier room is gone, with all its occupants: the user's presence created another.
    let isAnother = isOwn && room.phase == .inside && said.codes.contains(201)
    if isAnother { forgetPeople() }
    if isOwn || takesOccupant(nick) { put(occupant) }
    guard isOwn else { return voiceAsked(renamed: occupant) }
    occupantID = occupant.occupantID
    let before = room
    update {
      $0.nick = nick
      $0.role = occupant.role
      $0.affiliation = occupant.affiliation
      $0.phase = .inside
      $0.exit = nil
    }
    var effects: [Effect] = []
    if before.phase == .entering {
      retries.nickAccepted()
      effects.append(.entered(isNew: said.codes.contains(201)))
      if let takenNick {
        effects.append(
          .incident(
            RoomIncident(room: room.jid, .youGotOtherNick, ["nick": takenNick, "name": nick])))
      } else if before.nick != nick {
        effects.append(
          .incident(
            RoomIncident(room: room.jid, .youNamed, ["nick": before.nick, "name": nick])))
      }
      // Reported once, and not each time that Natter enters automatically.
      if isFresh, said.codes.contains(100) {
        effects.append(.incident(RoomIncident(room: room.jid, .showsAddresses)))
      }
    } else if isAnother {
      effects.append(.entered(isNew: true))
    } else if before.nick == nick {
      effects += promotions(from: before)
    } else if before.phase == .inside {
      effects.append(.incident(RoomIncident(room: room.jid, .youRenamed, ["name": nick])))
    }
    let kept = takenNick == nil ? nick : bookmark.nick
    if bookmark.nick != kept || isExitStored {
      (bookmark.nick, bookmark.exit, isExitStored) = (kept, nil, false)
      effects.append(.bookmarkChanged)
    }
    return effects
  }

  private mutating func left(_ said: XEP0045Presence, nick: String) -> [Effect] {
    remove(nick)
    if said.codes.contains(303), let new = said.item?.nick, room.phase == .inside {
      if let asked = voiceRequests.first(where: { $0.nick == nick }),
        renamedVoices.count < Self.voiceLimit
      {
        renamedVoices[new] = VoiceRequest(room: room.jid, nick: new, jid: asked.jid)
      }
      return [.incident(RoomIncident(room: room.jid, .renamed, ["old": nick, "name": new]))]
    }
    // An occupant whose connection broke was not kicked by a moderator.
    guard room.phase == .inside, !said.codes.contains(333),
      let kind: RoomIncident.IncidentKind =
        said.codes.contains(301) ? .banned : said.codes.contains(307) ? .kicked : nil
    else { return [] }
    return [
      .incident(
        RoomIncident(
          room: room.jid, kind,
          [
            "name": nick, "actor": said.item?.actor ?? "", "reason": said.item?.reason ?? "",
          ]))
    ]
  }

  private mutating func ownLeft(_ said: XEP0045Presence, nick: String) -> [Effect] {
    if said.codes.contains(303), let new = said.item?.nick {
      remove(nick)
      guard nick == room.nick else { return [] }
      askedNick = nil
      update { $0.nick = new }
      keepNick()
      return [
        .bookmarkChanged, .incident(RoomIncident(room: room.jid, .youRenamed, ["name": new])),
      ]
    }
    guard let exit = RoomExit(said) else {
      guard room.phase == .inside else { return [] }
      suspend()
      return [.lost]
    }
    // An exit of the previous visit, sent again: the earlier run did not store it (XEP-0198 §5).
    let isOnTheWay =
      room.phase == .entering && !exit.mayPass
      && (said.codes.contains(110) || said.destruction != nil)
    guard room.phase == .inside || isOnTheWay else { return [] }
    end(exit)
    return (isOnTheWay ? [.exitedOnTheWay] : []) + [.exited, .bookmarkChanged]
  }

  /// - Parameter nick: the nick that the refused presence was sent to.
  private mutating func refused(_ error: StanzaError?, to nick: String?) -> [Effect] {
    let error = error ?? StanzaError(.cancel, .undefinedCondition)
    guard room.phase == .entering else {
      guard room.phase == .inside else { return [] }
      guard askedNick != nil, nick != room.nick else { return unreported(error.condition) }
      // The room refuses the change of nick.
      askedNick = nil
      let key = error.condition == .conflict ? "error.room.nickTaken" : "error.room.nickRefused"
      return [.notice(StatusNotice(.error, key, error.arguments))]
    }
    if error.condition == .conflict, bookmark.isWanted, !isFresh { return [.conflict] }
    end(RoomExit(error, hadPassword: bookmark.password != nil))
    return [.exited, .bookmarkChanged]
  }

  /// Returns the effects of a room's refusal of the user's presence.
  private mutating func unreported(_ condition: StanzaError.Condition) -> [Effect] {
    guard condition == .itemNotFound || condition == .notAcceptable else {
      return [.doubted(condition)]
    }
    // The room does not exist any more, or has no occupant of that nick.
    suspend()
    return [.lost]
  }

  private mutating func put(_ occupant: Occupant) {
    guard occupants[occupant.nick] != occupant else { return }
    // Two occupants may use the same nick one after the other, and only their JIDs differ.
    if occupants[occupant.nick].map({ $0.jid != occupant.jid }) ?? true {
      present[occupant.nick] = lastHeard
    }
    occupants[occupant.nick] = occupant
    if room.phase == .entering { changes.isEntering = true }
    changes.changed.append(occupant)
    if let index = changes.removed.firstIndex(of: occupant.nick) {
      changes.removed.remove(at: index)
    }
  }

  private mutating func remove(_ nick: String) {
    present[nick] = nil
    guard occupants.removeValue(forKey: nick) != nil else { return }
    changes.changed.removeAll { $0.nick == nick }
    changes.removed.append(nick)
  }

  // MARK: - Messages

  /// Applies the parts of a room's message other than its text.
  mutating func apply(_ message: MessageStanza, nick: String?) -> [Effect] {
    if message.kind == .error {
      // The room does not know the user (§7.4): it was restarted, or lost them.
      guard message.error?.condition == .notAcceptable, room.phase == .inside else { return [] }
      // A message to one occupant may have been refused for another reason: ping the room.
      guard nick == nil else { return [.doubted(.notAcceptable)] }
      suspend()
      return [.lost]
    }
    // Also after leaving: the user may wait for an invited contact outside the room.
    if let decline = XEP0045Decline(message) { return [.incident(RoomIncident(decline))] }
    guard room.phase == .inside else { return [] }
    if !hasSettled { history.add(message, of: room.jid) }
    var effects = voiceAsked(message)
    if message.isSubjectChange {
      let subject = message.subject?.beginning(bytes: Self.subjectBytes) ?? ""
      if hasSettled, message.delay == nil, subject != room.subject {
        let kind: RoomIncident.IncidentKind = subject.isEmpty ? .subjectRemoved : .subjectChanged
        effects.append(
          .incident(
            RoomIncident(
              room: room.jid, kind, ["name": nick ?? room.jid.local ?? "", "subject": subject])))
      }
      if subject != room.subject {
        update { $0.subject = subject }
        bookmark.subject = subject
        effects.append(.bookmarkChanged)
      }
      if !hasSettled { effects.append(.settled) }
    }
    if hasSettled, nick == nil {
      let codes = message.roomCodes
      let kind: RoomIncident.IncidentKind? =
        codes.contains(172)
        ? .nowNonAnonymous
        : codes.contains(173) || codes.contains(174)
          ? .nowSemiAnonymous
          : codes.contains(170) ? .nowLogged : codes.contains(104) ? .configured : nil
      if let kind { effects.append(.incident(RoomIncident(room: room.jid, kind))) }
    }
    return effects
  }
}
