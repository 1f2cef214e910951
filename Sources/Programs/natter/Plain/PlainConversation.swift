import NatterCore
import ViewModels
import XMPP

/// Commands of line mode about the current conversation as a whole.
struct PlainConversation {
  let session: PlainSession

  private var ports: PlainPorts { session.ports }

  /// `/close`: takes the current conversation out of the list.
  func close() async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    try await ports.conversations.hide(current)
    session.current = nil
    session.say(
      "plain.closed", ["name": session.name(current), "address": current.description])
  }

  /// `/reply TEXT`: replies to the last message of a peer.
  func reply(_ text: String) async {
    guard !text.isEmpty else { return session.say("plain.usage", ["usage": "/reply TEXT"]) }
    await session.relate("error.noMessage") {
      $0.direction == .incoming
    } _: {
      try await $0.send(text, replyingTo: $1)
    }
  }

  /// `/notify [default|all|mentions|none]`: the notification rule of the current conversation.
  func notify(_ argument: String) async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    guard !argument.isEmpty else {
      return session.say(ports.notifications.rule(current).noticeKey)
    }
    try await keep(NotificationRule(typed: argument), of: current)
  }

  /// `/mute`: mutes the current conversation, or applies the rule of the settings again.
  func toggleMute() async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    try await keep(ports.notifications.rule(current).muteToggled, of: current)
  }

  private func keep(_ rule: NotificationRule, of conversation: JID) async throws {
    try await ports.notifications.keep(rule, conversation)
    session.say(rule.noticeKey)
    if rule == .none { session.say("plain.muted") }
  }
}
