import Configuration
import JSONLines
import NatterCore
import Storage
import TOML
import ViewModels
import XMPP

/// The program around an account without a full screen, for clients of the bridge: pins go into the
/// stored arrangement of the list, notifications to the desktop or to the user's command.
@MainActor final class StoredHost: BridgeHosting {
  private let context: LaunchContext
  private let preferences: any PreferenceStoring
  private let changes = SerialInbox<SingleLane>()

  init(_ context: LaunchContext, _ preferences: any PreferenceStoring) {
    (self.context, self.preferences) = (context, preferences)
  }

  @MainActor func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) async throws
    -> Bool
  {
    try await changes.run {
      let stored = try await preferences.values()[PreferenceKey.order] ?? ""
      var arrangement = SidebarArrangement(text: stored)
      arrangement.setPinned(isPinned, conversation)
      if arrangement.text != stored {
        try await preferences.setValue(arrangement.text, for: PreferenceKey.order)
      }
      return true
    }
  }

  @MainActor func notify(_ notification: BridgeNotification, of account: JID) async -> Bool {
    let output = NotificationOutput(
      settings: context.settings.notify, environment: context.environment,
      localizer: context.localizer, terminal: nil)
    let rules = NotificationRules(context).notifications(of: account, nil)
    return notification.isWanted(output, rules)
      && output.show(notification.title, notification.text)
  }

  @MainActor func settings() async -> [BridgeSetting] { BridgeSetting.all(in: context.settings) }
}

/// The full screen around its accounts, for clients of the bridge.
@MainActor final class ScreenHost: BridgeHosting {
  private weak var screen: FullScreen?

  init(_ screen: FullScreen) { self.screen = screen }

  @MainActor func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) async throws
    -> Bool
  {
    guard let shell = screen?.screen(of: account)?.shell else { return false }
    return try await shell.arrangements.setPinned(isPinned, of: conversation)
  }

  @MainActor func notify(_ notification: BridgeNotification, of account: JID) async -> Bool {
    guard let screen, let shell = screen.screen(of: account)?.shell else { return false }
    let output = screen.notificationOutput
    guard notification.isWanted(output, shell.actions.notifications) else { return false }
    return output.show(notification.title, notification.text)
  }

  @MainActor func settings() async -> [BridgeSetting] {
    screen.map { BridgeSetting.all(in: $0.settings.current) } ?? []
  }
}

extension BridgeNotification {
  /// Indicates whether it is neither the time nor the conversation of which the user wants no
  /// notifications.
  fileprivate func isWanted(
    _ output: NotificationOutput, _ rules: ConversationNotifications
  ) -> Bool {
    !output.isQuiet && conversation.map { rules.rule(of: $0) } != NotificationRule.none
  }
}

nonisolated extension BridgeSetting {
  /// All settings, with those withheld that may have a secret.
  static func all(in settings: Settings) -> [BridgeSetting] {
    Setting.all.map { setting in
      let value = setting.value(in: settings)
      return BridgeSetting(
        section: setting.section, key: setting.key, value: value.flatMap(JSONValue.init),
        isHidden: value != nil && setting.mayHaveSecret)
    }
  }
}

nonisolated extension JSONValue {
  /// The value of a setting; `nil` for arrays, which are command lines.
  fileprivate init?(_ value: TOMLValue.ValueType) {
    switch value {
    case .string(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .boolean(let isTrue): self = .boolean(isTrue)
    case .array: return nil
    }
  }
}
