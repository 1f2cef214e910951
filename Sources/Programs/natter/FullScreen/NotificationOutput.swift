import Configuration
import FoundationEssentials
import NatterCore
import System
import Terminal
import TerminalNcurses
import Text

/// Shows notifications outside the program: by the user's command, by the terminal, or on the
/// desktop.
struct NotificationOutput {
  let settings: Settings.Notification
  let environment: [String: String]
  let localizer: Localizer
  /// Shows a title and a text by the terminal; `nil`: there is none that can.
  let terminal: ((String, String, TerminalNotification) -> Void)?

  /// Indicates whether notifications are not wanted now.
  var isQuiet: Bool { settings.quietHours?.contains(LocalTime.here(Date())) ?? false }

  /// Shows a notification. Title and text are untrusted.
  /// - Returns: whether there is a way to show it.
  @discardableResult func show(_ title: String, _ text: String) -> Bool {
    let text = Self.reported(
      settings.showsPreview ? text : localizer("notify.newMessage"), columns: 200)
    let title = Self.reported(title, columns: 60)
    if let program = settings.command.first {
      let program = OtherProgram(
        program, settings.command.dropFirst() + [title, text].map(OtherProgram.word),
        environment: environment)
      program?.start()
      return program != nil
    }
    switch settings.desktop {
    case .off: return false
    case .osc9: return show(title, text, by: .osc9)
    case .osc99: return show(title, text, by: .osc99)
    case .osc777: return show(title, text, by: .osc777)
    case .notifySend: return send(title, text)
    case .automatic:
      if terminal != nil, let form = TerminalNotification(environment: environment) {
        return show(title, text, by: form)
      }
      let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
        environment[$0]?.isEmpty == false
      }
      return hasDesktop && send(title, text)
    }
  }

  private func show(_ title: String, _ text: String, by form: TerminalNotification) -> Bool {
    terminal?(title, text, form)
    return terminal != nil
  }

  private func send(_ title: String, _ text: String) -> Bool {
    // `--`: a name may begin with a hyphen.
    let program = OtherProgram(
      "notify-send", ["--app-name=Natter", "--", title, OtherProgram.notice(text)],
      environment: environment)
    program?.start()
    return program != nil
  }

  /// Nicks and messages are foreign text: a notification is one short line without control
  /// characters, as other programs may show it, too.
  private static func reported(_ text: String, columns: Int) -> String {
    SafeText.line(text).truncated(columns: columns)
  }
}
