import NatterCore
import XMPP

/// What is under way at the doors of rooms: who asks to be let in, and what was said of those that do not let him.
///
/// One for all the shells that come one after the other: what one of them has told no other tells again.
final class RoomJoinTracker {
  /// The rooms that the person has asked to enter, until he is inside.
  private(set) var knocked: Set<JID> = []
  /// Those of them whose conversation is not open yet, as they have refused him meanwhile.
  private var opening: [JID: Room?] = [:]
  /// What the status line was told of others.
  var told: [JID: StatusNotice] = [:]
  /// Why rooms that are tried again by themselves did not let the person in, for as long as they go on to say so.
  private var refusals: [JID: RoomExit] = [:]

  /// Does `work`, which enters a room and finds its conversation.
  static func knock(
    at room: JID, for shell: ShellViewModel?, _ work: () async throws -> Conversation
  ) async throws -> Conversation {
    if shell?.people.room(room)?.phase != .inside {
      shell?.doors.knocked.insert(room)
      shell?.doors.refusals[room] = nil
      shell?.doors.opening[room] = .some(nil)
    }
    do { return try await work() } catch {
      shell?.doors.opening[room] = nil
      shell?.doors.knocked.remove(room)
      throw error
    }
  }

  /// - Returns: the room, where it has refused the person while its conversation was being opened.
  func refusal(afterOpening room: JID) -> Room? {
    opening.removeValue(forKey: room) ?? nil
  }

  /// Keeps what a room says whose conversation is being opened.
  /// - Returns: whether it is one.
  func keeps(_ room: Room) -> Bool {
    guard opening[room.jid] != nil else { return false }
    opening[room.jid] = .some(room)
    return true
  }

  func entered(_ room: JID) {
    knocked.remove(room)
    refusals[room] = nil
  }

  /// Takes note of why a room does not let the person in.
  /// - Returns: whether nobody was told yet.
  @discardableResult func refused(_ room: JID, _ exit: RoomExit) -> Bool {
    guard exit.mayBeUndone else {
      refusals[room] = nil
      return true
    }
    return refusals.updateValue(exit, forKey: room) != exit
  }
}

extension Room {
  /// Whether it did not let the person in for want of its password.
  var asksForPassword: Bool {
    phase == .outside && (exit?.cause == .passwordNeeded || exit?.cause == .passwordWrong)
  }
}

// What rooms say that do not let the person in, or not any more.
extension ShellViewModel {
  /// Says that the person is not in a room any more, or not let in, where nothing else tells it and nothing brings him back by
  /// itself: in the room it is said among the messages, and a password is asked for. Once he is inside it is true no more.
  func tellIfOut(_ room: Room) {
    if room.phase == .inside {
      doors.entered(room.jid)
      if let notice = doors.told.removeValue(forKey: room.jid) { status.clear(notice) }
      return
    }
    guard room.phase == .outside, let exit = room.exit, !exit.mayPass,
      doors.refused(room.jid, exit), people.room(room.jid)?.exit != exit, !doors.keeps(room)
    else { return }
    let isTold = places.contains {
      $0.conversation == room.jid
        && ($0.timeline.isOnScreen || doors.knocked.contains(room.jid)
          || room.asksForPassword && room.jid == sidebar.active)
    }
    if !isTold { tellOut(room) }
  }

  func tellOut(_ room: Room) {
    guard let text = TimelineIncident.standing(in: room, format: format) else { return }
    let notice = StatusNotice(
      .warning, "status.out",
      ["name": people.name(of: room.jid), "text": ErrorText.oneLine(text.trimmed)])
    doors.told[room.jid] = notice
    show(notice)
  }

  /// What a room says to somebody who has left it: nobody looks for it there.
  func tellIfLeft(_ incident: RoomIncident) {
    guard people.room(incident.room)?.phase == .outside,
      !places.contains(where: {
        $0.conversation == incident.room && $0.timeline.isOnScreen
      })
    else { return }
    let text = TimelineIncident.text(of: incident, format: format)
    show(
      StatusNotice(
        .info, "status.out",
        ["name": people.name(of: incident.room), "text": ErrorText.oneLine(text)]))
  }

  /// A room asks for a password: so does Natter, once for each refusal.
  func askPassword(for room: Room) {
    guard let rooms = ports.rooms, room.jid == sidebar.active else { return }
    let model = RoomPasswordViewModel(
      room: people.name(of: room.jid), wasWrong: room.exit?.cause == .passwordWrong,
      localizer: format.localizer)
    model.onSubmit = { [weak self] password in
      self?.perform(nil) {
        try await rooms.entering.join(room.jid, nick: nil, password: password)
      }
    }
    model.close = actions.showForm(model.form)
  }
}
