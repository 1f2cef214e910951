import NatterCore
import Panes
import Terminal
import ViewModels

/// The scripts on the full screen: one for the shells of all accounts.
final class ScriptScreen {
  /// `nil`: scripts do not run in this process.
  let center: ScriptCenter?

  init(_ scripts: (any ScriptManaging)?) { center = scripts.map { ScriptCenter($0) } }

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
    screen.begin { await center.run() }
  }
}
