import NatterCore
import Text
import XMPP

/// State of joining rooms: which were asked for, and what was shown about those that refused.
///
/// Shared by successive shells: what one of them has reported, no other reports again.
final class RoomJoinTracker {
  /// The rooms that the user has asked to join, until they are inside.
  private(set) var requested: Set<JID> = []
  /// Those of them whose conversation is not open yet, with the room if it refused meanwhile.
  private var opening: [JID: Room?] = [:]
  /// The notices that the status line shows about other rooms.
  var reported: [JID: StatusNotice] = [:]
  /// The last refusals of rooms that are retried automatically, while the reason stays the same.
  private var refusals: [JID: RoomExit] = [:]

  /// Does `work`, which enters a room and finds its conversation.
  static func join(
    _ room: JID, for shell: ShellViewModel?, _ work: () async throws -> Conversation
  ) async throws -> Conversation {
    if shell?.people.room(room)?.phase != .inside {
      shell?.joins.requested.insert(room)
      shell?.joins.refusals[room] = nil
      shell?.joins.opening[room] = .some(nil)
    }
    do { return try await work() } catch {
      shell?.joins.opening[room] = nil
      shell?.joins.requested.remove(room)
      throw error
    }
  }

  /// - Returns: the room, if it refused the user while its conversation was being opened.
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
    requested.remove(room)
    refusals[room] = nil
  }

  /// Records why a room refused the user.
  /// - Returns: whether this is new, and has to be reported.
  @discardableResult func refused(_ room: JID, _ exit: RoomExit) -> Bool {
    guard exit.mayBeUndone else {
      refusals[room] = nil
      return true
    }
    return refusals.updateValue(exit, forKey: room) != exit
  }
}

extension Room {
  /// Indicates whether the room refused the user for lack of a password, or because of a wrong one.
  var asksForPassword: Bool {
    phase == .outside && (exit?.cause == .passwordNeeded || exit?.cause == .passwordWrong)
  }
}

// Reports of rooms that refused or removed the user.
extension ShellViewModel {
  /// Reports that the user was removed from a room or refused, where nothing else reports it and no
  /// retry follows: in the timeline, or as a password prompt. Withdrawn once inside.
  func reportIfOut(_ room: Room) {
    if room.phase == .inside {
      joins.entered(room.jid)
      if let notice = joins.reported.removeValue(forKey: room.jid) { status.clear(notice) }
      return
    }
    guard room.phase == .outside, let exit = room.exit, !exit.mayPass,
      joins.refused(room.jid, exit), people.room(room.jid)?.exit != exit, !joins.keeps(room)
    else { return }
    let isReported = slots.contains {
      $0.conversation == room.jid
        && ($0.timeline.isOnScreen || joins.requested.contains(room.jid)
          || room.asksForPassword && room.jid == sidebar.active)
    }
    if !isReported { reportLeft(room) }
  }

  func reportLeft(_ room: Room) {
    guard let text = TimelineIncident.absence(in: room, format: format) else { return }
    let notice = StatusNotice(
      .warning, "status.out",
      ["name": people.name(of: room.jid), "text": ErrorText.oneLine(text.trimmed)])
    joins.reported[room.jid] = notice
    show(notice)
  }

  /// Shows what a room reports after the user left it: its timeline is not open any more.
  func reportIfLeft(_ incident: RoomIncident) {
    guard people.room(incident.room)?.phase == .outside,
      !slots.contains(where: {
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
