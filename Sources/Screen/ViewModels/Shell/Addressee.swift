import Text
import XMPP

/// The addressee of a command with a message, and the message after it.
struct Addressee {
  let shell: ShellViewModel

  /// - Throws: `NatterError` if the line names no addressee.
  func read(_ call: CommandCall) throws -> (jid: JID, text: String) {
    // An occupant of the open room has precedence over a contact of that name.
    if let room = shell.openRoomAddress, !call.split.first.hasAddressMark,
      let (nick, text) = NickMatch.leading(call.rest, among: nicks(of: room)),
      let jid = room.with(resource: nick)
    {
      return (jid, text)
    }
    // An address that is displayed with spaces still counts as one word at the start of the
    // message.
    let spaced = Set(shell.people.contacts.keys).union(shell.sidebar.order)
      .union(shell.hiddenConversations).filter { $0.shown.contains(" ") }
    if let (shown, text) = NickMatch.leading(call.rest, among: spaced.map(\.shown)),
      let jid = NameMatch(shown, shell.people).address(among: Array(spaced))
    {
      return (jid, text)
    }
    let room = shell.actions.parseAddress(call.split.first)?.bare
    let (who, text) = call.address(nicks: room.map(nicks) ?? [])
    return (try shell.person(who), text)
  }

  /// The occupants of a room, and those who left it and have a conversation: without the latter, a
  /// shorter nick that theirs begins with would match.
  private func nicks(of room: JID) -> [String] {
    shell.members.nicks(of: room)
      + shell.sidebar.order.filter { $0.bare == room }.compactMap(\.resource)
  }
}
