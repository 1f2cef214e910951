import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import System
import Text
import ViewModels

// The manual page, from the help.
extension FullScreen {
  /// Has `man` show natter(1), which gets the terminal as long as it runs.
  func showManual() {
    guard OtherProgram("man", [], environment: context.environment) != nil else {
      return reportNoManual()
    }
    begin {
      do { try await self.terminal.run(["man", self.manualPage]) } catch {
        self.context.log.error("man: \(error)")
        self.reportNoManual()
      }
      // Another program has had the screen, and its window may have another size.
      self.coordinator?.screenDidResize()
    }
  }

  /// Over the help, which lies over the status line, and is there before there is one.
  private func reportNoManual() {
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel(
      Dialog(
        title: localizer("help.noManualTitle"), level: .error,
        lines: [.text(localizer("help.noManual"))],
        buttons: [.init("close", localizer("dialog.close"))]),
      onPress: { _ in close() }, onCancel: close)
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// The file of the page if the program runs from its sources; else its name for `man`.
  private var manualPage: String {
    let sources = context.resources.deletingLastPathComponent().appending(path: "man")
    let folders = ["fr": "fr/", "zh-Hans": "zh_CN/"]
    let file = sources.appending(path: (folders[localizer.tag] ?? "") + "natter.1").path
    return FileManager.default.fileExists(atPath: file) ? file : "natter"
  }
}
