import NatterCore
import XMPP

/// Asks whether to enter a room.
struct RoomOffer {
  let shell: ShellViewModel

  func make(_ room: JID) {
    shell.ask(
      title: "confirm.joinTitle", text: "confirm.join", accept: "confirm.joinAccept",
      ["address": room.shown]
    ) { [weak shell] in shell?.joinRoom(room.description, nick: nil) }
  }

  /// Offers the room that the open one was moved to.
  /// - Returns: whether there is one.
  func makeForSuccessor() -> Bool {
    let sidebar = shell.sidebar
    guard let room = sidebar.active.flatMap({ shell.people.room($0) }), room.jid == sidebar.active,
      room.phase == .outside, let successor = room.exit?.alternative
    else { return false }
    make(successor)
    return true
  }
}
