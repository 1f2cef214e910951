import XMPP

/// Whom a command with a message is for, and the message behind it.
struct Addressee {
  let shell: ShellViewModel

  /// - Throws: `NatterError` where nobody is meant.
  func read(_ call: CommandCall) throws -> (jid: JID, text: String) {
    // Who is here comes before a contact of that name.
    if let room = shell.openRoomAddress, !call.split.first.hasAddressSign,
      let (nick, text) = NickMatch.leading(call.rest, among: nicks(of: room)),
      let jid = room.with(resource: nick)
    {
      return (jid, text)
    }
    // An address that is shown with blanks is one word of a message's beginning all the same.
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

  /// Who is in a room, and those who have left it and were talked to: they are not taken for others whose nicks theirs begin with.
  private func nicks(of room: JID) -> [String] {
    shell.members.nicks(of: room)
      + shell.sidebar.order.filter { $0.bare == room }.compactMap(\.resource)
  }
}
