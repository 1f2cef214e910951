import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import ViewModels

// The manual page, from the help.
extension FullScreen {
  /// Has `man` show natter(1), which gets the terminal as long as it runs.
  func showManual() {
    guard OtherProgram("man", [], environment: context.environment) != nil else {
      accountScreen?.shell.show(Notice(.warning, "status.noManual"))
      return
    }
    begin {
      do { try await self.terminal.run(["man", self.manualPage]) } catch {
        self.context.log.error("man: \(error)")
        self.accountScreen?.shell.show(Notice(.warning, "status.noManual"))
      }
      // Another program has had the screen, and its window may have another size.
      self.coordinator?.screenDidResize()
    }
  }

  /// The file of the page where the program runs from its sources; else its name, by which `man` finds it.
  private var manualPage: String {
    let sources = context.resources.deletingLastPathComponent().appending(path: "man")
    let folders = ["fr": "fr/", "zh-Hans": "zh_CN/"]
    let file = sources.appending(path: (folders[localizer.tag] ?? "") + "natter.1").path
    return FileManager.default.fileExists(atPath: file) ? file : "natter"
  }
}
