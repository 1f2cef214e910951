import NatterCore

/// The command that chooses what notifies the user.
enum NotifyCommand {
  /// `/notify [all|mentions|none]`: sets the notification rule of this conversation, or shows it;
  /// `/notify word [list|add|remove]`: the keywords that notify.
  static let notify = Command("notify", [.notification, .notifyWords, .notifyWord]) {
    call, context in
    if let request = try NotifyWordRequest(typed: call.rest) {
      return try context.tools.words.perform(request)
    }
    guard let jid = context.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    let notifications = context.actions.notifications
    guard !call.rest.isEmpty else {
      return context.show(StatusNotice(.info, notifications.rule(of: jid).noticeKey))
    }
    let rule = try NotificationRule(typed: call.rest)
    context.tools.rules.change {
      try await $0.setRule(rule, of: jid)
      return StatusNotice(.info, rule.noticeKey)
    }
  }
}
