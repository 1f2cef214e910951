import NatterCore
import XMPP

/// An address without any local data, or with refused messages alone: a contact's, or a room's that
/// was never joined.
struct UnknownAddress {
  let jid: JID
  let shell: ShellViewModel

  /// True if it may be a room, so that its server has to be queried. An address at the account's
  /// own domain counts as an account.
  var mayBeRoom: Bool {
    jid.isBare && jid.local != nil && jid.domain != shell.format.account.domain
      && shell.ports.rooms != nil && shell.connectionState.isOnline
      && shell.sidebar.conversation(jid) == nil && shell.people.contacts[jid] == nil
      && !shell.people.isRoom(jid)
  }

  /// The number of the newest messages that are examined. Each `natter send` to a room that refuses
  /// it leaves one.
  private static let examined = 50

  /// Returns whether the stored messages leave open if it is a room's: `natter send` hides the
  /// conversation of a refused message.
  private static func isUndecided(_ jid: JID, _ ports: ShellViewModel.Ports) async throws -> Bool {
    guard try await ports.conversations.conversation(jid) != nil else { return true }
    return try await ports.timeline.latest(examined, in: jid).allSatisfy {
      if case .failed = $0.delivery { true } else { false }
    }
  }

  /// Opens a direct conversation, or offers to join a room: a message to a room from outside
  /// reaches no occupant.
  /// - Parameters:
  ///   - orElse: called if it is a room's address.
  ///   - then: called once the conversation is open.
  func open(
    orElse: @escaping @MainActor () -> Void = {}, then: @escaping @MainActor () -> Void
  ) {
    let ports = shell.ports
    shell.opening(jid.description, limit: ShellViewModel.patience, then: then) {
      [weak shell, jid] in
      if try await Self.isUndecided(jid, ports), await ports.rooms?.entering.isRoom(jid) == true {
        orElse()
        if let shell { RoomOffer.make(jid, in: shell, isLate: true) }
        throw CancellationError()
      }
      return try await ports.conversations.open(jid, kind: .direct)
    }
  }
}
