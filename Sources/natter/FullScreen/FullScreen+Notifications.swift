import Configuration
import FoundationEssentials
import NatterCore
import RoomService
import Terminal
import TerminalNcurses
import ViewModels
import XMPP

// Telling of messages outside the program, and opening what is outside of it.
extension FullScreen {
  /// Tells of a message, in the way the settings and the surroundings ask for. The shell keeps quiet hours.
  /// - Parameter account: whose it is: among several it is named, unless it is the one that is shown.
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
    let text = Self.told(
      settings.showsPreview ? notification.text : localizer("notify.newMessage"), columns: 200)
    let title = Self.told(notification.title, columns: 60)
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

  /// Names and messages are somebody else's: what is told is one short line without anything that steers a terminal, which is
  /// where other programs may show it, too.
  private static func told(_ text: String, columns: Int) -> String {
    SafeText.line(text).truncated(columns: columns)
  }

  /// Has the account's other clients know what of a room is told (XEP-0492); of people there is no bookmark to keep it in.
  func keepNotification(_ rule: NotificationRule, of conversation: JID, for account: JID) {
    guard let rooms = screen(of: account)?.services.rooms else { return }
    let setting: XEP0492Notification? =
      switch rule {
      case .standard: nil
      case .all: .always
      case .mentions: .onMention
      case .none: .never
      }
    begin { await rooms.keepNotification(setting, of: conversation) }
  }

  /// Another client of the account has chosen what of a room is told.
  func notificationChanged(_ setting: XEP0492Notification?, of room: JID, for account: JID) {
    if !rules.set(NotificationRule(setting), of: room, for: account) {
      context.log.warning("what another client chose to be told of a room could not be stored")
    }
  }

  private func sendNotification(_ title: String, _ text: String) {
    // `--`: a name may begin with a hyphen.
    OtherProgram(
      "notify-send", ["--app-name=Natter", "--", title, OtherProgram.notice(text)],
      environment: context.environment)?
      .start()
  }
}
