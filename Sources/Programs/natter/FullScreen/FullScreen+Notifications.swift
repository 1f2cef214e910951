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
    notify(notification)
  }

  private func notify(_ notification: DesktopNotification) {
    let settings = settings.current.notify
    let text = Self.reported(
      settings.showsPreview ? notification.text : localizer("notify.newMessage"), columns: 200)
    let title = Self.reported(notification.title, columns: 60)
    if let program = settings.command.first {
      OtherProgram(
        program, settings.command.dropFirst() + [title, text].map(OtherProgram.word),
        environment: context.environment)?.start()
      return
    }
    switch settings.desktop {
    case .off: return
    case .osc9: terminal.screen.notify(title, text, by: .osc9)
    case .osc99: terminal.screen.notify(title, text, by: .osc99)
    case .osc777: terminal.screen.notify(title, text, by: .osc777)
    case .notifySend: sendNotification(title, text)
    case .automatic:
      if let form = TerminalNotification(environment: context.environment) {
        terminal.screen.notify(title, text, by: form)
      } else if ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: {
        context.environment[$0]?.isEmpty == false
      }) {
        sendNotification(title, text)
      }
    }
  }

  /// Nicks and messages are foreign text: a notification is one short line without control
  /// characters, as other programs may show it, too.
  private static func reported(_ text: String, columns: Int) -> String {
    SafeText.line(text).truncated(columns: columns)
  }

  /// Publishes the notification rule of a room to the account's other clients (XEP-0492).
  func keepNotification(_ rule: NotificationRule, of conversation: JID, for account: JID) {
    guard let rooms = screen(of: account)?.services.rooms else { return }
    begin { await rooms.keepNotification(rule.setting, of: conversation) }
  }

  /// Another client of the account has changed the notification rule of a room.
  func notificationChanged(_ setting: XEP0492Notification?, of room: JID, for account: JID) {
    guard rules.set(NotificationRule(setting), of: room, for: account) else {
      return context.log.warning("the rule that another client chose could not be stored")
    }
    screen(of: account)?.shell.actions.notifications.reload()
  }

  private func sendNotification(_ title: String, _ text: String) {
    // `--`: a name may begin with a hyphen.
    OtherProgram(
      "notify-send", ["--app-name=Natter", "--", title, OtherProgram.notice(text)],
      environment: context.environment)?
      .start()
  }
}
