import Configuration
import NatterCore
import Panes
import TerminalNcurses
import Text
import ViewModels

// What is left out on a line that takes its time (interface.md, "Terminals").
extension FullScreen {
  func makeLineWatch() -> SlowLinkDetector {
    let screen = terminal.screen
    let watch = SlowLinkDetector(isSlow: screen.hasSlowLine, scheduler: scheduler) {
      screen.isBehind
    }
    var isReported = false
    watch.onChange = { [weak self] in
      guard let self, settings.current.ui.slowLink == .automatic else { return }
      followLine()
      guard isLineSlow, !isReported, let shell = accountScreen?.shell else { return }
      isReported = true
      shell.show(StatusNotice(.info, "status.slowLine"))
    }
    watch.ask = { [weak self] in
      self?.settings.current.ui.slowLink != .off && screen.askWhetherReady()
    }
    watch.waits = { [weak self] in self?.isLineSlow == true }
    watch.onBusy = { [weak self] in self?.coordinator?.display.isLineBusy = $0 }
    terminal.onReady = { [weak watch] in watch?.answered() }
    screen.onFlush = { [weak self, weak watch] took, bytes in
      self?.coordinator?.display.sent(bytes: bytes)
      watch?.sent(took: took, bytes: bytes)
    }
    return watch
  }

  /// Indicates whether as little as possible is drawn, as the settings and the line have it.
  var isLineSlow: Bool {
    switch settings.current.ui.slowLink {
    case .automatic: line.isSlow
    case .on: true
    case .off: false
    }
  }

  /// Has everything drawn as the line can take it.
  func followLine() {
    for screen in screens { followLine(screen.shell, screen.desktop) }
    // Without anything beside them, rows can be moved instead of being sent again.
    terminal.screen.setMovesLines(glyphs.isLinear || isLineSlow)
    useWidths()
    coordinator?.display.isSlow = isLineSlow
    if !isLineSlow { coordinator?.display.isLineBusy = false }
    if accountScreen != nil || welcome != nil { coordinator?.display.requestFrame() }
  }

  func followLine(_ shell: ShellViewModel, _ desktop: Desktop) {
    let ui = settings.current.ui
    shell.tabBar.showsClock = ui.showsTime && !isLineSlow
    (shell.isCalm, shell.announces) = (ui.isCalm || isLineSlow, ui.announcesMessages)
    shell.sidebar.choose(ConversationOrder(rawValue: ui.order.rawValue) ?? .recent)
    (desktop.chats.showsSidebarByDefault, desktop.chats.isSlow) = (ui.showsSidebar, isLineSlow)
    desktop.slides = slidesTabs
  }
}
