import NatterCore
import XMPP

extension Command {
  /// `/block [ADDRESS]`: has the server throw away what somebody sends; without an address, whoever the conversation is with.
  package static let block = Command("block", [.person]) { call, context in
    context.block(try context.somebody(call.rest))
  }

  /// `/unblock [ADDRESS]`: lets him in again.
  package static let unblock = Command("unblock", [.person]) { call, context in
    context.unblock(try context.somebody(call.rest))
  }

  /// `/command [ADDRESS]`: lists what somebody's program, a server or a service lets one do, the own server without an address.
  package static let command = Command("command", [.person]) { call, context in
    try context.chooseRemoteCommand(of: call.rest)
  }
}

extension CommandContext {
  /// Who is named, or whoever the open conversation is with.
  fileprivate func somebody(_ text: String) throws -> JID {
    if text.isEmpty, let active = activeConversation { return active }
    return try person(text)
  }
}
