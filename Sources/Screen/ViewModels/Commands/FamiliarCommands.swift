import NatterCore
import XMPP

// Commands familiar from weechat, irssi and profanity: each repeats another command or a key.
enum FamiliarCommands {
  static let all = [mute, dnd, say, version, ping, window]

  /// `/mute`: mutes the open conversation, or applies the rule of the settings again.
  private static let mute = Command("mute") { _, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let rule = context.actions.notificationRule(jid).muteToggled
    try context.actions.setNotificationRule(jid, rule)
    context.show(StatusNotice(.info, rule.noticeKey))
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
