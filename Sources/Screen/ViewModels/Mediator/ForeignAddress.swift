import NatterCore
import XMPP

/// The questions before an address that another author wrote is opened: in a message, or in a page
/// whose link starts the program.
struct ForeignAddress {
  let jid: JID
  let shell: ShellViewModel

  /// Opening a chat with an address without local data asks its server if it is a room, which shows
  /// the server that the user is online.
  /// - Returns: `false` if there is nothing to ask.
  func askToOpen(then proceed: @escaping () throws -> Void) -> Bool {
    let unknown = UnknownAddress(jid: shell.meant(by: jid), shell: shell)
    guard unknown.mayBeRoom, !shell.hiddenConversations.contains(unknown.jid) else { return false }
    shell.ask(
      title: "confirm.openTitle", text: "confirm.open", accept: "confirm.openAccept",
      ["address": unknown.jid.shown], then: proceed)
    return true
  }

  /// Joining a room reveals this account to its service and its occupants, and may create it. If
  /// the user is inside already, there is nothing to ask.
  /// - Parameter nick: the nick that the address asks for.
  func askToJoin(as nick: String?, then proceed: @escaping () throws -> Void) -> Bool {
    let room = jid.bare
    if Self.goBack(to: room, in: shell) { return true }
    shell.ask(
      title: "confirm.joinTitle", text: nick == nil ? "confirm.join" : "confirm.joinAs",
      accept: "confirm.joinAccept",
      ["address": room.shown, "nick": nick].compactMapValues { $0 }
    ) { [weak shell] in
      // The user may have joined meanwhile.
      guard let shell, !Self.goBack(to: room, in: shell) else { return }
      try proceed()
    }
    return true
  }

  /// Opens a room that the user is in, or is joining. The address does not choose their nick there.
  /// - Returns: whether the user is.
  private static func goBack(to room: JID, in shell: ShellViewModel) -> Bool {
    guard let phase = shell.people.room(room)?.phase, phase != .outside else { return false }
    shell.joinRoom(room.description, nick: nil)
    return true
  }
}
