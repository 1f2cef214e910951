import NatterCore
import XMPP

// Commands familiar from weechat, irssi and profanity: each repeats another command or a key.
enum FamiliarCommands {
  static let all = [mute, unmute, dnd, say, version, ping, window]

  /// `/mute [1h|8h|always]`: mutes the open conversation, for a time if there is one; without one,
  /// also ends a mute.
  private static let mute = Command("mute", [.mute]) { call, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let format = context.format
    context.tools.rules.change { try await $0.mute(jid, for: call.rest, format) }
  }

  /// `/unmute`: ends a mute of the open conversation.
  private static let unmute = Command("unmute") { _, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.tools.rules.change { try await $0.unmuteReporting(jid) }
  }

  /// `/dnd [TEXT]`: the same as `/status dnd`.
  private static let dnd = Command("dnd", [.text]) { call, context in
    context.setPresence(.busy, status: call.rest.isEmpty ? nil : call.rest)
  }

  /// `/say TEXT`: sends a text that may begin with a slash.
  private static let say = Command("say", [.text], required: 1) { call, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    context.send(call.rest, to: jid)
  }

  /// `/version [ADDRESS|NICK]`: shows the page about Natter, or about a contact, with their client.
  private static let version = Command("version", [.peer]) { call, context in
    guard !call.rest.isEmpty else {
      return try context.actions.openAddress("natter://me/show?page=about", false)
    }
    try context.showWho(try context.peer(call.rest))
  }

  /// `/ping [ADDRESS|NICK]`: shows the state of the connection, or of a contact or an occupant.
  private static let ping = Command("ping", [.peer]) { call, context in
    guard !call.rest.isEmpty else { return context.showConnection() }
    try context.showWho(try context.peer(call.rest))
  }

  /// `/window [N|NAME]`: opens a conversation; without an argument, lists them.
  private static let window = Command("window", aliases: ["buffer"], [.peer]) { call, context in
    guard !call.rest.isEmpty else {
      _ = context.actions.perform("palette")
      return
    }
    if let number = Int(call.rest) { return context.openConversation(number: number) }
    context.open(try context.peer(call.rest))
  }
}
