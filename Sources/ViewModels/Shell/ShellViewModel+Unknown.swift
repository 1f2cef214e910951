import NatterCore
import XMPP

// Addresses of which nothing is known here: a person's, or a room's that was never entered.
extension ShellViewModel {
  /// Whether `jid` may be a room's, so that its server has to be asked. The account's own server has its accounts there.
  func mayBeRoom(_ jid: JID) -> Bool {
    jid.isBare && jid.local != nil && jid.domain != format.account.domain
      && ports.rooms != nil && connectionState.isOnline && sidebar.conversation(jid) == nil
      && people.contacts[jid] == nil && !people.isRoom(jid) && !hiddenConversations.contains(jid)
  }

  /// Opens the conversation with a person, or offers to enter a room: a message to one from outside reaches nobody.
  func openUnknown(
    _ jid: JID, _ entering: any RoomEntering, _ then: @escaping @MainActor () -> Void
  ) {
    opening(jid.description, limit: Self.patience, then: then) { [weak self, ports] in
      if try await ports.conversations.conversation(jid) == nil, await entering.isRoom(jid) {
        self?.offerToJoin(jid)
        throw CancellationError()
      }
      return try await ports.conversations.open(jid, kind: .direct)
    }
  }

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
