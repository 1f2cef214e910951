import Configuration
import NatterCore
import System
import Terminal
import TerminalNcurses
import ViewModels

// Links and files that are opened with another program.
extension FullScreen {
  /// Enables or disables hyperlinks, as the settings and the terminal have it.
  func followLinks() {
    let ui = settings.current.ui
    let isOn =
      switch ui.links {
      case .automatic: NcursesScreen.opensLinks(environment: context.environment)
      case .on: true
      case .off: false
      }
    // A screen reader would speak them twice.
    terminal.screen.marksLinks = isOn && !ui.isForScreenReader
  }
}

/// The programs that open an address: the user's own, then the system's.
nonisolated enum LinkOpener {
  /// The installed programs in the order to try; none without a display on this computer.
  static func programs(for link: String, environment: [String: String]) -> [OtherProgram] {
    let link = MailAddress.safe(link)
    let scheme = link.prefix { $0 != ":" }.lowercased()
    guard ["http", "https", "mailto", "geo"].contains(scheme) else { return [] }
    // A browser cannot show a location.
    let browsers =
      scheme == "geo"
      ? [] : (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
      environment[$0]?.isEmpty == false
    }
    // A browser of BROWSER may be one for terminals; the system's would open somewhere else.
    return (browsers + (hasDisplay ? ["xdg-open", "open"] : [])).compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let first = words.first else { return nil }
      let hasPlaceholder = words.contains { $0.contains("%s") }
      let arguments = words.dropFirst().map { $0.replacing("%s", with: link) }
      return OtherProgram(
        first, hasPlaceholder ? Array(arguments) : arguments + [link], environment: environment)
    }
  }
}
