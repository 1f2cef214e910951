import NatterCore
import XMPP

extension Command {
  /// `/block [ADDRESS|NICK]`: has the server throw away what somebody sends; alone, whoever the conversation is with, which
  /// may be a whole room.
  package static let block = Command("block", aliases: ["ignore"], [.somebody]) { call, context in
    context.block(try context.somebody(call.rest))
  }

  /// `/unblock [ADDRESS|NICK]`: lets him in again.
  package static let unblock = Command("unblock", aliases: ["unignore"], [.somebody]) {
    call, context in
    context.unblock(try context.somebody(call.rest, isHere: false))
  }

  /// `/whois [ADDRESS|NICK]`: who somebody is.
  package static let whois = Command("whois", [.somebody]) { call, context in
    try context.tellWho(try context.somebody(call.rest))
  }

  /// `/command [ADDRESS]`: lists what somebody's program, a server or a service lets one do, the own server without an address.
  package static let command = Command("command", [.person]) { call, context in
    try context.chooseRemoteCommand(of: call.rest)
  }
}

extension CommandContext {
  /// Who is named, or whoever the open conversation is with.
  /// - Parameter isHere: `false` takes a nick for somebody of the room, even where nobody has it now: who is blocked is not seen.
  func somebody(_ text: String, isHere: Bool = true) throws -> JID {
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
