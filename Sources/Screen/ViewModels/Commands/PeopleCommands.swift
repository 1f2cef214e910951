import NatterCore
import XMPP

extension Command {
  /// `/block [ADDRESS|NICK]`: blocks an address on the server; without one, the peer of the open
  /// conversation, which may be a whole room.
  package static let block = Command("block", aliases: ["ignore"], [.peer]) { call, context in
    context.block(try context.peer(call.rest))
  }

  /// `/unblock [ADDRESS|NICK]`: unblocks it.
  package static let unblock = Command("unblock", aliases: ["unignore"], [.peer]) {
    call, context in
    context.unblock(try context.peer(call.rest, isHere: false))
  }

  /// `/whois [ADDRESS|NICK]`: shows details of a contact or an occupant.
  package static let whois = Command("whois", [.peer]) { call, context in
    try context.showWho(try context.peer(call.rest))
  }

  /// `/command [ADDRESS]`: lists the remote commands of a contact's client, a server or a service;
  /// of the account's own server without an address.
  package static let command = Command("command", [.person]) { call, context in
    try context.chooseRemoteCommand(of: call.rest)
  }
}

extension CommandContext {
  /// Returns the named address, or the peer of the open conversation.
  /// - Parameter isHere: `false` accepts a nick that no occupant has now: blocked occupants are
  ///   invisible.
  func peer(_ text: String, isHere: Bool = true) throws -> JID {
    if text.isEmpty {
      guard let active = activeConversation else {
        throw NatterError(.invalidInput, "error.noConversation")
      }
      return active
    }
    if let occupant = occupant(text, isHere: true) { return occupant }
    do {
      return try person(text)
    } catch {
      guard !isHere, let occupant = occupant(text, isHere: false) else { throw error }
      return occupant
    }
  }
}
