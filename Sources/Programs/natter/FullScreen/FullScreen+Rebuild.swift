import Keys
import NatterCore
import Panes
import Terminal
import Text
import ViewModels

/// The reason to make the shells anew.
struct WantedRebuild {
  /// The setting that asked for it: the page of settings shows that it was saved.
  var setting: SettingState.ID?
}

// Rebuilding the shells in another language or with other glyphs, each at its old position.
extension FullScreen {
  /// Has the shells made anew with the same services.
  ///
  /// An open dialog belongs to the present shell, with what was typed into it: it is answered
  /// first, in its language.
  func rebuildShells(setting: SettingState.ID? = nil) {
    // A change found in the file is reported as read, not as saved.
    let changed = settings.isReading ? nil : setting
    wantedRebuild = WantedRebuild(setting: changed ?? wantedRebuild?.setting)
    rebuildWhenFree()
  }

  /// Begins with it unless something is in the way still.
  func rebuildWhenFree() {
    guard wantedRebuild != nil, !isRebuilding, canRebuild else { return }
    isRebuilding = true
    begin {
      while let wanted = self.wantedRebuild, self.canRebuild {
        self.wantedRebuild = nil
        await self.rebuild(wanted)
      }
      self.isRebuilding = false
    }
  }

  /// Indicates whether nothing is open that acts on a shell. Sign-in and the connection do not.
  private var canRebuild: Bool {
    coordinator?.openOverlays.allSatisfy { $0 === welcome?.pane || $0 === alert?.pane } ?? true
  }

  private func rebuild(_ wanted: WantedRebuild) async {
    // The one that is looked at first.
    for screen in [accountScreen].compactMap({ $0 }) + hiddenScreens {
      guard await rebuildShell(of: screen, setting: wanted.setting) else {
        wantedRebuild = wantedRebuild ?? wanted
        return
      }
    }
    tendHidden()
    // Where a border line takes two columns, the cells after one moved: redraw everything.
    if widths?[.ambiguous] == 2 || glyphs.ambiguousIsWide { redraw() }
  }

  /// - Returns: whether it was made; not where a dialog came up meanwhile.
  private func rebuildShell(of screen: AccountScreen, setting: SettingState.ID?) async -> Bool {
    let crashes = await CrashPage(directory: context.paths.state).withReports
    // What is typed meanwhile is for the next one.
    if isShown(screen.account.jid) { gate.hold() }
    await screen.shell.keepDrafts()
    // From here on nothing waits: no key, no news and no dialog comes between the two.
    let isOpen = screens.contains { $0 === screen }
    guard isOpen, canRebuild else {
      letInputIn(replaying: true)
      return !isOpen
    }
    let old = screen.shell
    let conversation = old.activeConversation
    let (split, position) = (old.splitMemory, old.detach())
    let (shell, desktop) = makeShell(
      on: screen.services, screen.mediator, screen.paletteMemory, crashes, inputs: old.inputMemory)
    (shell.firstShown, shell.firstSplit) = (conversation, split)
    let loaded = shell.onLoaded
    // The old shell stays until then: only it has the notices, even if it has no work in progress.
    shell.onLoaded = { [weak shell] in
      if let shell {
        shell.onLoaded = loaded
        shell.resume(at: position)
        old.present(shell)
        if setting != nil { shell.show(StatusNotice(.info, "status.settingSaved")) }
      }
      loaded()
    }
    desktop.restore(from: screen.desktop)
    retire(RetiredShell(shell: old, desktop: screen.desktop))
    screen.replace(shell: shell, desktop: desktop)
    accountsChanged()
    guard isShown(screen.account.jid) else {
      // Another account is looked at by now.
      letInputIn(replaying: true)
      return true
    }
    if desktop.openID == .me, let setting {
      desktop.show(page: setting.section, item: setting.key)
    }
    coordinator?.show(desktop)
    return true
  }

  // MARK: What was begun before

  /// Keeps a shell until what it has begun is done, and what it asks meanwhile is answered.
  private func retire(_ old: RetiredShell) {
    retired.append(old)
    begin {
      await old.shell.settle()
      old.isDone = true
      self.dropRetired()
    }
  }

  func dropRetired() {
    if canRebuild { retired.removeAll(where: \.isDone) }
  }
}

/// A replaced shell: replies of the server and results of the disk still reach it.
final class RetiredShell {
  let shell: ShellViewModel
  let desktop: Desktop
  /// Indicates whether nothing that it has begun is under way.
  var isDone = false

  init(shell: ShellViewModel, desktop: Desktop) { (self.shell, self.desktop) = (shell, desktop) }
}
