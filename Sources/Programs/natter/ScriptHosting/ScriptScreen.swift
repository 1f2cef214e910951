import NatterCore
import Panes
import Terminal
import ViewModels

/// The scripts on the full screen: one for the shells of all accounts.
final class ScriptScreen {
  /// `nil`: scripts do not run in this process.
  let center: ScriptCenter?
  private let composition: ScriptComposition?
  private var hasBegun = false
  private var isWaiting = false

  /// The time after the first account has opened in which scripts are not looked at: its first
  /// frame comes first.
  private static let delay = Duration.milliseconds(500)

  init(_ composition: ScriptComposition?) {
    self.composition = composition
    center = composition.map { ScriptCenter($0.scripts) }
  }

  /// Follows the scripts until the program ends, and shows what they report on `screen`.
  func begin(on screen: FullScreen) {
    guard let center else { return }
    center.actions.notify = { [weak screen] in screen?.accountScreen?.shell.show($0) }
    center.actions.fit = { $0.truncated(columns: $1) }
    center.actions.show = { [weak screen] model in
      guard let screen else { return {} }
      let pane = DialogPane(
        viewModel: model, glyphs: screen.glyphs, localizer: screen.localizer)
      screen.coordinator?.present(pane)
      return { [weak screen] in screen?.coordinator?.remove(pane) }
    }
    center.actions.showPane = { [weak screen] model in
      guard let screen else { return {} }
      let pane = ScriptTextPane(viewModel: model, glyphs: screen.glyphs)
      screen.coordinator?.present(pane)
      return { [weak screen] in screen?.coordinator?.remove(pane) }
    }
    composition?.follow { [weak screen] in
      (screen?.themes.current ?? "", screen?.themes.theme.kind != .light)
    }
    screen.begin { await center.run() }
  }

  /// Works with the accounts that `screen` has open now. The first call lets scripts begin in a
  /// moment.
  func follow(_ screen: FullScreen) {
    guard let composition, !screen.screens.isEmpty || hasBegun else { return }
    guard hasBegun else {
      guard !isWaiting else { return }
      isWaiting = true
      _ = screen.scheduler.after(Self.delay) { [weak self, weak screen] in
        guard let self, let screen else { return }
        hasBegun = true
        follow(screen)
        composition.begin()
      }
      return
    }
    let host = ScreenHost(screen)
    composition.bridges.set(screen.screens.map { AccountBridges.Open($0.services, host: host) })
  }

  /// Ends all scripts in order.
  func end() async { await composition?.end() }
}
