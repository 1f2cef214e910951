import NatterCore
import XMPP

// Rooms that are not entered yet.
extension ShellViewModel {
  /// Asks whether to enter a room.
  func offerToJoin(_ room: JID) {
    ask(
      title: "confirm.joinTitle", text: "confirm.join", accept: "confirm.joinAccept",
      ["address": room.shown]
    ) { [weak self] in self?.joinRoom(room.description, nick: nil) }
  }

  /// Offers to enter the room that the open one was moved to.
  /// - Returns: whether there is one.
  func goToSuccessor() -> Bool {
    guard let room = sidebar.active.flatMap({ people.room($0) }), room.jid == sidebar.active,
      room.phase == .outside, let successor = room.exit?.alternative
    else { return false }
    offerToJoin(successor)
    return true
  }
}
