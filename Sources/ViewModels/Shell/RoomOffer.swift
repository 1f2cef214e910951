import NatterCore
import XMPP

/// Asks whether to enter a room.
struct RoomOffer {
  let shell: ShellViewModel

  /// - Parameter isLate: whether a server was asked first, so that the user may be typing something else by now.
  func make(_ room: JID, isLate: Bool = false) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.joinTitle", textKey: "confirm.join", acceptKey: "confirm.joinAccept",
        arguments: ["address": room.shown], comesLate: isLate
      ) { [weak shell] in shell?.joinRoom(room.description, nick: nil) })
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
