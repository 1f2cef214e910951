import Configuration
import NatterCore
import Terminal
import TerminalNcurses
import ViewModels

// What is opened with another program.
extension FullScreen {
  /// Has the terminal told where links are, or no more, as the settings and the terminal have it.
  func followLinks() {
    let ui = settings.current.ui
    let isOn =
      switch ui.links {
      case .automatic: NcursesScreen.opensLinks(environment: context.environment)
      case .on: true
      case .off: false
      }
    // Whoever hears the screen would hear them drawn twice.
    terminal.screen.marksLinks = isOn && !ui.isForScreenReader
  }

  /// Opens an address of the web or of mail with the program that is there for it; where there is none, or nobody would see
  /// it, gives it to the terminal, to be pasted.
  func openLink(_ link: String) {
    guard let shell = accountScreen?.shell else { return }
    for program in LinkOpener.programs(for: link, environment: context.environment)
    where program.start() {
      return shell.show(
        StatusNotice(.info, "status.linkOpened", ["link": link, "program": program.name]))
    }
    shell.onCopy(link)
    let key = terminal.copy(link) == .copied ? "status.linkCopied" : "status.linkNotOpened"
    shell.show(StatusNotice(.warning, key, ["link": link]))
  }
}

/// What opens an address: the person's own program, then the system's.
nonisolated enum LinkOpener {
  /// The programs that are there, the first to be tried first; none where nobody sits before a screen of this machine.
  static func programs(for link: String, environment: [String: String]) -> [OtherProgram] {
    let link = MailAddress.safe(link)
    let scheme = link.prefix { $0 != ":" }.lowercased()
    guard ["http", "https", "mailto"].contains(scheme) else { return [] }
    let browsers = (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
      environment[$0]?.isEmpty == false
    }
    // What BROWSER names may be one for terminals of its own; the system's would open somewhere else.
    return (browsers + (hasDisplay ? ["xdg-open", "open"] : [])).compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let first = words.first else { return nil }
      let takesPlace = words.contains { $0.contains("%s") }
      let arguments = words.dropFirst().map { $0.replacing("%s", with: link) }
      return OtherProgram(
        first, takesPlace ? Array(arguments) : arguments + [link], environment: environment)
    }
  }
}
