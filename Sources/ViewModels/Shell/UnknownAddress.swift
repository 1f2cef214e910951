import NatterCore
import XMPP

/// An address of which nothing is known here: a person's, or a room's that was never entered.
struct UnknownAddress {
  let jid: JID
  let shell: ShellViewModel

  /// Whether it may be a room's, so that its server has to be asked. The account's own server has its accounts there.
  var mayBeRoom: Bool {
    jid.isBare && jid.local != nil && jid.domain != shell.format.account.domain
      && shell.ports.rooms != nil && shell.connectionState.isOnline
      && shell.sidebar.conversation(jid) == nil && shell.people.contacts[jid] == nil
      && !shell.people.isRoom(jid) && !shell.hiddenConversations.contains(jid)
  }

  /// Opens the conversation with a person, or offers to enter a room: a message to one from outside reaches nobody.
  /// - Parameters:
  ///   - orElse: done where it is a room's address.
  ///   - then: done once the conversation is open.
  func open(
    orElse: @escaping @MainActor () -> Void = {}, then: @escaping @MainActor () -> Void
  ) {
    let ports = shell.ports
    shell.opening(jid.description, limit: ShellViewModel.patience, then: then) {
      [weak shell, jid] in
      if try await ports.conversations.conversation(jid) == nil,
        await ports.rooms?.entering.isRoom(jid) == true
      {
        orElse()
        if let shell { RoomOffer(shell: shell).make(jid, isLate: true) }
        throw CancellationError()
      }
      return try await ports.conversations.open(jid, kind: .direct)
    }
  }
}
