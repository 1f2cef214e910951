import FoundationEssentials
import NatterCore
import XMPP

/// Everything that is known of one room: what the presences and messages from it add up to (XEP-0045 §7-10).
///
/// A value without I/O: it is told what arrived and says what follows from it.
struct RoomState {
  /// What follows from a stanza, beside the changed state.
  enum Effect: Equatable {
    /// The person is inside now; a room that had to be made first wants to be set up.
    case entered(isNew: Bool)
    /// The room has told everything that it tells on entering.
    case settled
    /// The person is outside.
    case exited
    /// He was on the way in, and the room may have let him in since.
    case exitedOnTheWay
    /// The room forgot the person without a word: back in.
    case lost
    /// A presence or a message was not taken, for a reason that says nothing of the person's place in the room.
    case doubted(StanzaError.Condition)
    /// The nick is taken: try another.
    case conflict
    case incident(RoomIncident)
    case voiceRequested(VoiceRequest)
    /// What the database keeps of it has changed.
    case bookmarkChanged
    case notice(StatusNotice)
  }

  var room: Room
  var bookmark: Bookmark
  var occupants: [String: Occupant] = [:]
  /// Since when each of them has been there, by nick: before that, somebody else may have been called so.
  private(set) var present: [String: Date] = [:]
  /// One's own lasting id in it (XEP-0421).
  var occupantID: String?
  /// Whether messages of it were known before it was entered.
  var hasPast = false
  /// What the archive calls the newest message that was known before it was entered, and what the room has told of its past
  /// since.
  var newestID: String?
  var past: JoinHistory?
  /// Grows with each attempt to enter: what concerns an earlier one is of no interest.
  var attempt = 0
  /// Whether the room has told everything that it tells on entering.
  var hasSettled = false
  /// How many times another nick was tried after a conflict.
  var conflicts = 0
  /// The nick that was asked for and is taken, while a made up one stands in for it: that one is worn in this visit only.
  private(set) var takenNick: String?
  /// When the person came in the last time, and how often the room has lost him soon after it.
  var insideSince: Date?
  var losses = 0
  /// Whether the room has had time to answer since something last came from it.
  var lastHeard = Date.distantPast
  /// How the room was last told that the account is.
  var told: OwnPresence?
  /// The nick that the room was asked for while inside, and has not answered.
  var askedNick: String?
  /// Whether the database may still have why the person was outside.
  private var isExitStored = false
  /// Whether the person asked to enter just now, so that a bookmark is worth having.
  var isFresh = false
  /// Whether entering may make it: not once it is tried again by itself.
  var mayBeMade: Bool { isFresh && losses == 0 }
  /// What this batch changed among the people.
  private(set) var changes: OccupantChanges
  private(set) var isChanged = false
  /// Those who ask to speak.
  var voiceRequests: [VoiceRequest] = []
  /// Those of them who are called otherwise now, by the new nick, until they are there under it.
  var renamedVoices: [String: VoiceRequest] = [:]

  init(bookmark: Bookmark, nick: String) {
    self.bookmark = bookmark
    room = Room(
      jid: bookmark.room, name: bookmark.name, nick: nick, subject: bookmark.subject,
      exit: bookmark.exit, autojoins: bookmark.autojoins, about: bookmark.about,
      pictureID: bookmark.pictureID)
    changes = OccupantChanges(room: bookmark.room)
  }

  /// What has changed since it was last asked.
  mutating func takeChanges() -> (room: Room?, people: OccupantChanges?) {
    let isPeopled = changes.isReset || !changes.changed.isEmpty || !changes.removed.isEmpty
    defer {
      changes = OccupantChanges(room: room.jid)
      isChanged = false
    }
    room.people = occupants.count
    return (isChanged || isPeopled ? room : nil, isPeopled ? changes : nil)
  }

  /// Changes what everybody is shown of the room.
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
    (askedNick, takenNick, past) = (nil, nil, nil)
    forgetPeople()
    update {
      $0.nick = nick
      $0.phase = .entering
      // What nobody decided stays told while it is tried again.
      if $0.exit?.mayPass != true { $0.exit = nil }
    }
    isExitStored = isExitStored || bookmark.exit != nil
    bookmark.exit = nil
  }

  /// Begins to enter under another nick, as somebody is there under this one.
  mutating func beginAsAnother() {
    conflicts += 1
    let taken = wantedNick
    begin(as: room.nick + "_")
    takenNick = taken
  }

  /// What to ask for when the room is entered the next time.
  var wantedNick: String { bookmark.nick ?? takenNick ?? room.nick }

  /// The nick that stands in for a taken one is to be the person's own from now on.
  mutating func keepNick() {
    takenNick = nil
    bookmark.nick = room.nick
  }

  /// The person is outside, for this reason or by his wish.
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

  /// The person is outside, and is not to be sent in by himself any more.
  /// - Returns: the seat that is to be given up; `nil`: he had none.
  mutating func giveUp() -> JID? {
    let seat = room.phase == .outside ? nil : room.seat
    end(nil)
    bookmark.autojoins = false
    update { $0.autojoins = false }
    return seat
  }

  /// Whether the server has its bookmark, as it is here.
  var isSettledAtServer: Bool {
    bookmark.isPublished && !bookmark.isChanged && bookmark.wish == nil
  }

  /// The connection is gone: the room will be entered again.
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
      // What is left of a room that was left already.
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
    occupant.status = presence.status
    occupant.jid = said.item?.jid?.bare
    if room.traits.contains(.occupantIDs) { occupant.occupantID = presence.occupantID }
    // The one that he was in is gone, with everybody who was there, and another was made of his presence.
    let isAnother = isOwn && room.phase == .inside && said.codes.contains(201)
    if isAnother { forgetPeople() }
    put(occupant)
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
      conflicts = 0
      effects.append(.entered(isNew: said.codes.contains(201)))
      if let takenNick {
        effects.append(
          .incident(
            RoomIncident(room: room.jid, .youStandIn, ["nick": takenNick, "name": nick])))
      } else if before.nick != nick {
        effects.append(
          .incident(
            RoomIncident(room: room.jid, .youNamed, ["nick": before.nick, "name": nick])))
      }
      // Once, and not each time that Natter goes in by itself.
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
      if let asked = voiceRequests.first(where: { $0.nick == nick }) {
        renamedVoices[new] = VoiceRequest(room: room.jid, nick: new, jid: asked.jid)
      }
      return [.incident(RoomIncident(room: room.jid, .renamed, ["old": nick, "name": new]))]
    }
    // Whose connection broke is not thrown out by anybody.
    guard room.phase == .inside, !said.codes.contains(333),
      let kind: RoomIncident.Kind =
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
    // Somebody's decision in the visit before, told again: an earlier run did not come to store it (XEP-0198 §5).
    let isOnTheWay =
      room.phase == .entering && !exit.mayPass
      && (said.codes.contains(110) || said.destruction != nil)
    guard room.phase == .inside || isOnTheWay else { return [] }
    end(exit)
    return (isOnTheWay ? [.exitedOnTheWay] : []) + [.exited, .bookmarkChanged]
  }

  /// - Parameter nick: what the refused presence was sent to.
  private mutating func refused(_ error: StanzaError?, to nick: String?) -> [Effect] {
    let error = error ?? StanzaError(.cancel, .undefinedCondition)
    guard room.phase == .entering else {
      guard room.phase == .inside else { return [] }
      guard askedNick != nil, nick != room.nick else { return untold(error.condition) }
      // A change of nick that the room does not let.
      askedNick = nil
      let key = error.condition == .conflict ? "error.room.nickTaken" : "error.room.nickRefused"
      return [.notice(StatusNotice(.error, key, error.words))]
    }
    if error.condition == .conflict, bookmark.isWanted, !isFresh { return [.conflict] }
    end(RoomExit(error, hadPassword: bookmark.password != nil))
    return [.exited, .bookmarkChanged]
  }

  /// What follows where the room did not take how the person is now.
  private mutating func untold(_ condition: StanzaError.Condition) -> [Effect] {
    guard condition == .itemNotFound || condition == .notAcceptable else {
      return [.doubted(condition)]
    }
    // There is no such room any more, or nobody of that name in it.
    suspend()
    return [.lost]
  }

  private mutating func put(_ occupant: Occupant) {
    guard occupants[occupant.nick] != occupant else { return }
    // The address is whose it is, where the room tells: without a word between them, two may be called the same.
    if let known = occupants[occupant.nick] {
      if known.jid != occupant.jid { present[occupant.nick] = lastHeard }
    } else {
      present[occupant.nick] = lastHeard
    }
    occupants[occupant.nick] = occupant
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

  /// Takes what a message from the room says beside a text.
  mutating func apply(_ message: MessageStanza, nick: String?) -> [Effect] {
    if message.kind == .error {
      // The room does not know the person (§7.4): it was restarted, or lost him.
      guard message.error?.condition == .notAcceptable, room.phase == .inside else { return [] }
      // What was for one of its people it may have refused for another reason: it is asked.
      guard nick == nil else { return [.doubted(.notAcceptable)] }
      suspend()
      return [.lost]
    }
    // Also after one has left: who waits for somebody does not wait in the room only.
    if let decline = XEP0045Decline(message) { return [.incident(RoomIncident(decline))] }
    guard room.phase == .inside else { return [] }
    if !hasSettled { notePast(message) }
    var effects = voiceAsked(message)
    if message.isSubjectChange {
      let subject = message.subject ?? ""
      if hasSettled, message.delay == nil, subject != room.subject {
        let kind: RoomIncident.Kind = subject.isEmpty ? .subjectRemoved : .subjectChanged
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
      let kind: RoomIncident.Kind? =
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
