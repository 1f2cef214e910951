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
    guard !text.isEmpty else { return PlainHelp(session: session).showUsage(of: "reply") }
    await session.relate("error.noMessage") {
      $0.direction == .incoming
    } _: {
      try await $0.send(text, replyingTo: $1)
    }
  }

  /// `/read [all]`: marks the current conversation, or all, as read.
  func read(_ argument: String) async throws {
    switch argument.lowercased() {
    case "":
      guard let current = session.current else { return session.say("plain.no-conversation") }
      _ = try await ports.reading.markRead(current)
      session.say("status.markedRead")
    case "all":
      let unread = try await ports.conversations.conversations().filter { $0.unread > 0 }
      guard !unread.isEmpty else { return session.say("status.noUnread") }
      let result = await ReadAll(unread.map(\.jid), ports.reading)
      let notice = result.notice(session.localizer) { session.name($0) }
      session.say(notice.key, notice.arguments)
    default: throw NatterError(.invalidInput, "error.badRead", ["text": argument])
    }
  }

  /// `/unread [here]`: lists the unread conversations, or marks the current one as unread and
  /// leaves it.
  func unread(_ argument: String) async throws {
    switch argument.lowercased() {
    case "": try await PlainLists(session: session).unread()
    case "here":
      guard let current = session.current else { return session.say("plain.no-conversation") }
      let isMarked = try await ports.reading.markUnread(current) != nil
      if isMarked { session.current = nil }
      session.say(
        isMarked ? "status.markedUnread" : "status.nothingReceived",
        ["name": session.name(current)])
    default: throw NatterError(.invalidInput, "error.badUnread", ["text": argument])
    }
  }

  /// `/notify [default|all|mentions|none]`: the notification rule of the current conversation;
  /// `/notify word [list|add|remove]`: the keywords that notify.
  func notify(_ argument: String) async throws {
    if let request = try NotifyWordRequest(typed: argument) {
      let stored = NotifyKeywords(text: try await ports.preferences.values()[NotifyKeywords.key])
      var words = stored
      let notice = try request.perform(on: &words)
      if words != stored {
        try await ports.preferences.setValue(words.text, for: NotifyKeywords.key)
      }
      return session.say(notice.key, notice.arguments)
    }
    try await change { rules, current in
      guard !argument.isEmpty else {
        return StatusNotice(.info, rules.rule(of: current).noticeKey)
      }
      let rule = try NotificationRule(typed: argument)
      try await rules.setRule(rule, of: current)
      return StatusNotice(.info, rule.noticeKey)
    }
  }

  /// `/mute [1h|8h|always]`: mutes the current conversation, or ends a mute.
  func mute(_ argument: String) async throws {
    try await change { try await $0.mute($1, for: argument, session.format) }
  }

  /// `/unmute`
  func unmute() async throws { try await change { try await $0.unmuteReporting($1) } }

  /// Changes the notifications of the current conversation, and prints the result.
  private func change(
    _ edit: (ConversationNotifications, JID) async throws -> StatusNotice
  ) async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let rules = ports.notifications.rules
    let wasMuted = rules.rule(of: current) == .none
    let notice = try await edit(rules, current)
    session.say(notice.key, notice.arguments)
    if !wasMuted, rules.rule(of: current) == .none { session.say("plain.muted") }
  }
}
