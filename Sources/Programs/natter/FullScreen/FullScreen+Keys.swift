import Configuration
import FoundationEssentials
import Keys
import NatterCore
import Panes
import System
import TOML
import ViewModels

// The page of keys, and the user's own file of them.
extension FullScreen {
  var keysPage: MeFactory.Page {
    .keys(others: { [weak self] in self?.viKeys ?? [] }) { [weak self] in self?.editKeys() }
  }

  /// The keys that change text: help shows them, too.
  var editingKeys: [HelpPage] { [HelpPages.editing(keys.table, localizer: localizer)] + viKeys }

  /// Those that vi has by itself.
  private var viKeys: [HelpPage] {
    settings.current.ui.keys == .vi ? [HelpPages.vi(localizer: localizer)] : []
  }

  /// Opens the file of keys in the user's editor; a new one begins with all keys, each line
  /// commented out. Changes apply at once, or their errors are shown.
  private func editKeys() {
    let file = keys.file
    let text: String
    if FileManager.default.fileExists(atPath: file.path) {
      guard let written = try? String(contentsOfFile: file.path, encoding: .utf8) else {
        accountScreen?.shell.show(
          NatterError(.storage, "error.keysUnreadable", ["path": file.path]).notice)
        return
      }
      text = written
    } else {
      text = keys.table.commentedFile(localizer)
    }
    edit(text) { [weak self] result in
      let changed = try result.get()
      guard let self, changed != text else { return }
      guard PrivateText.replaceEdited(file.path, with: changed) else {
        throw NatterError(.storage, "error.keysUnwritable", ["path": file.path])
      }
      refreshFiles()
    }
  }
}
