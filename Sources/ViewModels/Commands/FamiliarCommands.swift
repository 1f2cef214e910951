import NatterCore
import XMPP

// Commands that users of weechat, irssi and profanity type: each does what another command or a key does here.
enum FamiliarCommands {
  static let all = [mute, dnd, version, ping, window]

  /// `/mute`: has the open conversation notify of nothing, or as the settings say again.
  private static let mute = Command("mute") { _, context in
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let rule: NotificationRule =
      context.actions.notificationRule(jid) == .none ? .standard : .none
    context.actions.setNotificationRule(jid, rule)
    context.show(StatusNotice(.info, "status.notify.\(rule.rawValue)"))
  }

  /// `/dnd [TEXT]`: the same as `/status dnd`.
  private static let dnd = Command("dnd", [.text]) { call, context in
    context.setPresence(.busy, status: call.rest.isEmpty ? nil : call.rest)
  }

  /// `/version [ADDRESS|NICK]`: the page about Natter, or about somebody, with the program that they use.
  private static let version = Command("version", [.somebody]) { call, context in
    guard !call.rest.isEmpty else {
      return try context.actions.openAddress("natter://me/show?page=about", false)
    }
    try context.tellWho(try context.somebody(call.rest))
  }

  /// `/ping`: how the connection to the server is.
  private static let ping = Command("ping") { _, context in context.showConnection() }

  /// `/window [N|NAME]`: goes to a conversation; alone, lists them.
  private static let window = Command("window", aliases: ["buffer"], [.somebody]) { call, context in
    guard !call.rest.isEmpty else {
      _ = context.actions.perform("palette")
      return
    }
    if let number = Int(call.rest) { return context.openConversation(number: number) }
    context.open(try context.somebody(call.rest))
  }
}
