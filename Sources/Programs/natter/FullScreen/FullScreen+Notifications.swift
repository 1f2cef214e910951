import Configuration
import Diagnostics
import FoundationEssentials
import NatterCore
import RoomService
import System
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

// Notifications outside the program, and opening files and addresses there.
extension FullScreen {
  /// Shows a notification as the settings and the terminal allow. The shell keeps quiet hours.
  /// - Parameter account: the account to name, if there are several and it is not shown.
  func notify(_ notification: DesktopNotification, of account: JID) {
    var notification = notification
    if !isShown(account) {
      notification.title = localizer(
        "notify.account", ["title": notification.title, "account": account.description])
      if settings.current.ui.isForScreenReader {
        accountScreen?.shell.show(
          StatusNotice(.info, "status.elsewhere", ["title": notification.title]))
      }
    }
    notificationOutput.show(notification.title, notification.text)
  }

  /// Shows notifications as the settings and the terminal allow.
  var notificationOutput: NotificationOutput {
    NotificationOutput(
      settings: settings.current.notify, environment: context.environment, localizer: localizer
    ) { [terminal] in terminal.screen.notify($0, $1, by: $2) }
  }

  /// Stores the rule of a room for the account's other clients (XEP-0492), or throws `NatterError`.
  func keepNotification(_ rule: NotificationRule, of room: JID, for account: JID) async throws {
    guard let rooms = screen(of: account)?.services.rooms else { return }
    try await rooms.keepNotification(rule.setting, of: room)
  }

  /// Another client of the account has changed the notification rule of a room.
  func notificationChanged(_ setting: XEP0492Notification?, of room: JID, for account: JID) {
    guard rules.set(NotificationRule(setting), of: room, for: account) else {
      return context.log.warning("the rule that another client chose could not be stored")
    }
    screen(of: account)?.shell.actions.notifications.reload()
  }
}
