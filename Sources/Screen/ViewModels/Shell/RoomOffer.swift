import NatterCore
import XMPP

/// The question whether to join a room.
enum RoomOffer {
  /// - Parameter isLate: whether a server was queried first, so that the user may be typing
  ///   meanwhile.
  static func make(_ room: JID, in shell: ShellViewModel, isLate: Bool = false) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.joinTitle", textKey: "confirm.join", acceptKey: "confirm.joinAccept",
        arguments: ["address": room.shown], comesLate: isLate
      ) { [weak shell] in shell?.joinRoom(room.description, nick: nil) })
  }

  /// Offers the room that replaces the open one.
  /// - Returns: whether there is one.
  static func makeForSuccessor(in shell: ShellViewModel) -> Bool {
    let sidebar = shell.sidebar
    guard let room = sidebar.active.flatMap({ shell.people.room($0) }), room.jid == sidebar.active,
      room.phase == .outside, let successor = room.exit?.alternative
    else { return false }
    make(successor, in: shell)
    return true
  }
}
