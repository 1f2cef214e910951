import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

@Suite struct RoomStateTests {
  typealias Sample = RoomStanza

  private func entering() -> RoomState {
    var state = RoomState(bookmark: Bookmark(room: Sample.room, isWanted: true), nick: "alice")
    state.begin(as: "alice")
    _ = state.takeChanges()
    return state
  }

  @Test func `those who are there before the user are marked so, and those who come later are not`()
  {
    var state = entering()
    _ = state.apply(Sample.presence("bob"), nick: "bob")
    #expect(state.takeChanges().people?.isEntering == true)
    _ = state.apply(Sample.presence("alice", codes: [110]), nick: "alice")
    #expect(state.takeChanges().people?.isEntering == true)
    _ = state.apply(Sample.presence("carol"), nick: "carol")
    let people = state.takeChanges().people
    #expect(people?.changed.map(\.nick) == ["carol"] && people?.isEntering == false)
  }

  @Test func `a nick is an occupant's since they joined, and another's after that`() {
    var state = inside()
    func come(_ nick: String, at seconds: Double, type: String? = nil, jid: String? = nil) {
      state.lastHeard = Date(timeIntervalSince1970: seconds)
      _ = state.apply(Sample.presence(nick, type: type, jid: jid), nick: nick)
    }
    func since(_ nick: String) -> Double? { state.present[nick]?.timeIntervalSince1970 }
    come("bob", at: 10)
    come("bob", at: 20)
    #expect(since("bob") == 10)
    come("bob", at: 30, type: "unavailable")
    #expect(since("bob") == nil)
    come("bob", at: 40, jid: "bob@example.org/a")
    come("bob", at: 50, jid: "bob@example.org/b")
    #expect(since("bob") == 40)
    come("bob", at: 60, jid: "mallory@example.org/b")
    #expect(since("bob") == 60)
    state.suspend()
    #expect(state.present.isEmpty)
  }

  @Test func `no room has more occupants than the limit, and the user is always one of them`() {
    var state = entering()
    for number in 0..<(RoomState.occupantLimit + 100) {
      _ = state.apply(Sample.presence("n\(number)"), nick: "n\(number)")
    }
    #expect(state.occupants.count == RoomState.occupantLimit)
    _ = state.apply(Sample.presence("alice", codes: [110]), nick: "alice")
    #expect(state.room.phase == .inside && state.occupants["alice"] != nil)
    // A known occupant changes, and one who comes after another has left is kept.
    _ = state.apply(Sample.presence("n0", role: "moderator"), nick: "n0")
    #expect(state.occupants["n0"]?.role == .moderator)
    for nick in ["n1", "n2"] {
      _ = state.apply(Sample.presence(nick, type: "unavailable"), nick: nick)
    }
    _ = state.apply(Sample.presence("late"), nick: "late")
    #expect(state.occupants["late"] != nil)
  }

  @Test func `of an occupant's status the beginning is kept`() {
    var state = inside()
    let status = Element(
      "status", Namespace.client, text: String(repeating: "é", count: 100_000))
    var presence = Sample.presence("bob").element
    presence.append(status)
    _ = state.apply(PresenceStanza(presence), nick: "bob")
    #expect(state.occupants["bob"]?.status?.utf8.count == RoomState.statusBytes)
  }

  @Test func `the beginning of a huge subject is kept`() {
    var state = inside()
    _ = state.apply(Sample.subject(String(repeating: "é", count: 100_000)), nick: "bob")
    #expect(state.room.subject.utf8.count == RoomState.subjectBytes)
    #expect(state.bookmark.subject == state.room.subject)
  }

  private func inside(_ others: String...) -> RoomState {
    var state = entering()
    for nick in others { _ = state.apply(Sample.presence(nick), nick: nick) }
    _ = state.apply(Sample.presence("alice", codes: [110]), nick: "alice")
    _ = state.apply(Sample.subject("Night", from: "bob"), nick: "bob")
    state.hasSettled = true
    _ = state.takeChanges()
    return state
  }

  @Test func `one is inside with the own presence, and settled with the subject`() {
    var state = entering()
    #expect(state.apply(Sample.presence("bob"), nick: "bob").isEmpty)
    #expect(state.room.phase == .entering)
    #expect(
      state.apply(Sample.presence("alice", codes: [110]), nick: "alice")
        == [.entered(isNew: false), .bookmarkChanged])
    #expect(state.room.phase == .inside)
    #expect(
      state.apply(Sample.subject("Night", from: "bob"), nick: "bob") == [
        .bookmarkChanged, .settled,
      ]
    )
    let (room, people) = state.takeChanges()
    #expect(room?.subject == "Night" && room?.people == 2)
    #expect(people?.changed.map(\.nick).sorted() == ["alice", "bob"])
    #expect(state.takeChanges() == (nil, nil))
  }

  @Test func `a room that is new says so`() {
    var state = entering()
    let effects = state.apply(Sample.presence("alice", codes: [110, 201]), nick: "alice")
    #expect(effects.first == .entered(isNew: true))
  }

  @Test func `the room may give another nick`() {
    var state = entering()
    _ = state.apply(Sample.presence("alice2", codes: [110, 210]), nick: "alice2")
    #expect(state.room.nick == "alice2" && state.room.phase == .inside)
  }

  @Test(arguments: [
    (StanzaError.Condition.conflict, RoomExit.Cause.nickTaken), (.notAuthorized, .passwordNeeded),
    (.registrationRequired, .notMember), (.forbidden, .isBanned), (.serviceUnavailable, .full),
    (.itemNotFound, .locked), (.notAllowed, .creationRefused), (.notAcceptable, .nickRefused),
    (.remoteServerNotFound, .unreachable), (.internalServerError, .unreachable),
    (.undefinedCondition, .refused),
  ])
  func `each refusal of entry has its cause`(
    condition: StanzaError.Condition, cause: RoomExit.Cause
  ) {
    var state = entering()
    state.isFresh = true
    _ = state.apply(Sample.refusal(condition), nick: "alice")
    #expect(state.room.phase == .outside)
    #expect(state.room.exit?.cause == cause)
    #expect(state.bookmark.isWanted == cause.isPassing)
  }

  @Test func `a private message that a room refuses has it asked whether the user is still there`()
  {
    var state = inside()
    func refusal(_ condition: StanzaError.Condition) -> MessageStanza {
      MessageStanza(
        Element(
          "message", Namespace.client, ["from": "\(RoomStanza.room)/bob", "type": "error"],
          [StanzaError(.cancel, condition).element]))
    }
    #expect(state.apply(refusal(.notAcceptable), nick: "bob") == [.doubted(.notAcceptable)])
    #expect(state.room.phase == .inside)
    #expect(state.apply(refusal(.itemNotFound), nick: "bob") == [])
  }

  @Test func `a password that is refused is a wrong one`() {
    var state = entering()
    state.bookmark.password = "guess"
    _ = state.apply(Sample.refusal(.notAuthorized), nick: "alice")
    #expect(state.room.exit?.cause == .passwordWrong)
  }

  @Test func `a name is refused only where one was asked for`() {
    var state = inside()
    state.askedNick = "ali"
    // What answers the presence of before is no answer to that.
    #expect(
      state.apply(Sample.refusal(.remoteServerNotFound), nick: "alice")
        == [.doubted(.remoteServerNotFound)])
    #expect(
      state.apply(Sample.refusal(.conflict), nick: "ali")
        == [.notice(StatusNotice(.error, "error.room.nickTaken", ["text": ""]))])
    // Once: what comes now is about something else.
    #expect(state.apply(Sample.refusal(.notAllowed), nick: "alice") == [.doubted(.notAllowed)])
    #expect(state.room.phase == .inside)
  }

  @Test(arguments: [StanzaError.Condition.itemNotFound, .notAcceptable])
  func `a room that does not know the sender of a request has lost them`(
    condition: StanzaError.Condition
  ) {
    var state = inside()
    #expect(state.apply(Sample.refusal(condition), nick: "alice") == [.lost])
    #expect(state.room.phase == .entering)
  }

  @Test func `a room that is made anew of a presence is a new one, with no one else in it`() {
    var state = inside()
    _ = state.apply(Sample.presence("bob"), nick: "bob")
    let effects = state.apply(
      Sample.presence("alice", affiliation: "owner", codes: [110, 201]), nick: "alice")
    #expect(effects.contains(.entered(isNew: true)))
    #expect(state.occupants.keys.sorted() == ["alice"])
  }

  @Test func `on the way back in a taken nick is no end`() {
    var state = entering()
    #expect(state.apply(Sample.refusal(.conflict), nick: "alice") == [.conflict])
    #expect(state.room.phase == .entering)
  }

  @Test(arguments: [
    ([307], RoomExit.Cause.kicked), ([301], .banned), ([321], .membershipLost),
    ([322], .membersOnlyNow), ([332], .shutdown), ([333, 307], .connectionLost),
  ])
  func `a user who is put outside is shown why`(codes: [Int], cause: RoomExit.Cause) {
    var state = inside("bob")
    let effects = state.apply(
      Sample.presence(
        "alice", type: "unavailable", role: "none", codes: codes + [110], actor: "bob",
        reason: "noise"), nick: "alice")
    #expect(effects == [.exited, .bookmarkChanged])
    #expect(state.room.exit == RoomExit(cause, actor: "bob", reason: "noise"))
    #expect(state.occupants.isEmpty && state.takeChanges().people?.isReset == true)
  }

  /// The incidents of a room that are reported on entering it.
  private func incidents(_ effects: [RoomState.Effect]) -> [RoomIncident] {
    effects.compactMap { if case .incident(let incident) = $0 { incident } else { nil } }
  }

  @Test(arguments: [[110, 210], [110], [210]])
  func `a nick that the room gives is reported, and is one's own`(codes: [Int]) {
    var state = entering()
    let effects = state.apply(Sample.presence("alice-guest", codes: codes), nick: "alice-guest")
    // Without a mark, the presence of another nick is another occupant's.
    #expect(state.room.phase == .inside && state.room.nick == "alice-guest")
    #expect(
      incidents(effects) == [
        RoomIncident(room: Sample.room, .youNamed, ["nick": "alice", "name": "alice-guest"])
      ])
  }

  @Test func `a nick that is as it was asked for is no news`() {
    var state = entering()
    #expect(
      incidents(state.apply(Sample.presence("alice", codes: [110, 210]), nick: "alice")).isEmpty)
  }

  @Test func `on entry a room that shows addresses says so, once`() {
    var state = entering()
    state.isFresh = true
    let shown = RoomIncident(room: Sample.room, .showsAddresses)
    let presence = Sample.presence("alice", codes: [100, 110])
    #expect(incidents(state.apply(presence, nick: "alice")) == [shown])
    state.isFresh = false
    state.suspend()
    #expect(incidents(state.apply(presence, nick: "alice")).isEmpty)
  }

  @Test func `a destroyed room says where the people went`() {
    var state = inside("bob")
    let destroy = Element(
      "destroy", XEP0045.user, ["jid": "garden@rooms.example.org"],
      [Element("reason", XEP0045.user, text: "too small")])
    _ = state.apply(
      Sample.presence("alice", type: "unavailable", role: "none", codes: [110], destroy),
      nick: "alice")
    #expect(
      state.room.exit
        == RoomExit(
          .destroyed, reason: "too small",
          alternative: JID(local: "garden", domain: "rooms.example.org")))
  }

  @Test(arguments: [
    ("xmpp:garden@rooms.example.org?join", "garden@rooms.example.org" as String?),
    ("https://example.org/moved", nil), (nil, nil),
  ])
  func `a room that was destroyed meanwhile says on entry where the people went`(
    address: String?, alternative: String?
  ) {
    var state = entering()
    let error = StanzaError(.cancel, .gone, text: "moved", newAddress: address)
    let refusal = PresenceStanza(
      Element(
        "presence", Namespace.client, ["from": "\(Sample.room)/alice", "type": "error"],
        [error.element]))
    _ = state.apply(refusal, nick: "alice")
    #expect(
      state.room.exit
        == RoomExit(
          .destroyed, reason: "moved", alternative: alternative.flatMap { JID(parsing: $0) }))
  }

  @Test func `others come, go and are renamed without a line for each`() {
    var state = inside("bob")
    #expect(state.apply(Sample.presence("carol"), nick: "carol").isEmpty)
    #expect(
      state.apply(Sample.presence("carol", type: "unavailable"), nick: "carol").isEmpty)
    let renamed = state.apply(
      Sample.presence("bob", type: "unavailable", codes: [303], newNick: "rob"), nick: "bob")
    #expect(
      renamed == [
        .incident(RoomIncident(room: Sample.room, .renamed, ["old": "bob", "name": "rob"]))
      ])
    #expect(state.takeChanges().people?.removed == ["carol", "bob"])
  }

  @Test func `the own nick follows a change`() {
    var state = inside("bob")
    _ = state.apply(
      Sample.presence("alice", type: "unavailable", codes: [303, 110], newNick: "al"),
      nick: "alice")
    _ = state.apply(Sample.presence("al", codes: [110]), nick: "al")
    #expect(state.room.nick == "al" && state.bookmark.nick == "al")
    #expect(state.room.phase == .inside && Set(state.occupants.keys) == ["bob", "al"])
  }

  @Test func `an occupant whose connection broke is not reported as kicked`() {
    var state = inside("bob")
    #expect(
      state.apply(
        Sample.presence("bob", type: "unavailable", codes: [307, 333]), nick: "bob"
      ).isEmpty)
  }

  @Test func `the own absence without a reason leads back in`() {
    var state = inside("bob")
    #expect(
      state.apply(Sample.presence("alice", type: "unavailable"), nick: "alice") == [.lost])
    #expect(state.room.phase == .entering)
  }

  @Test func `a room that knows nothing of one leads back in`() {
    var state = inside("bob")
    let error = MessageStanza(
      Element(
        "message", Namespace.client,
        ["type": "error", "from": Sample.room.description, "id": "m1"],
        [StanzaError(.cancel, .notAcceptable).element]))
    #expect(state.apply(error, nick: nil) == [.lost])
  }

  @Test func `a subject that changes is reported, the first one is not`() {
    var state = inside("bob")
    let effects = state.apply(Sample.subject("Dawn"), nick: "bob")
    #expect(
      effects.first
        == .incident(
          RoomIncident(
            room: Sample.room, .subjectChanged, ["name": "bob", "subject": "Dawn"])))
    #expect(state.bookmark.subject == "Dawn")
  }

  @Test func `presence of a room that was left changes nothing`() {
    var state = inside("bob")
    state.end(nil)
    _ = state.takeChanges()
    #expect(state.apply(Sample.presence("bob"), nick: "bob").isEmpty)
    #expect(state.occupants.isEmpty)
  }

  @Test func `two thousand people are one change`() {
    var state = entering()
    for number in 0..<2000 {
      _ = state.apply(Sample.presence("n\(number)"), nick: "n\(number)")
    }
    #expect(state.takeChanges().people?.changed.count == 2000)
  }
}

extension RoomExit.Cause {
  fileprivate var isPassing: Bool { RoomExit(self).mayPass }
}
