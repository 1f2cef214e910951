import Keys
import NatterCore
import Terminal
import Text
import ViewModels

// Actions that are run by name, and not by a key.
extension AppCoordinator {
  /// The actions that can be run by name as commands, and their descriptions.
  package var actionNames: [(name: String, text: String)] {
    KeyAction.allCases.filter { !ChatsScreen.foreign.contains($0) && hasTab($0) }.map {
      ($0.rawValue, localizer($0.descriptionKey))
    }
  }

  /// Adds entries beyond the account's own that have become available to the open palette.
  package func offerMore() {
    guard let palette, let desktop else { return }
    palette.add(desktop.moreEntries())
    update()
  }

  /// Runs the action of that name, as its key would; shows a notice if there is nothing that it
  /// applies to.
  /// - Returns: whether there is one.
  package func perform(named name: String) -> Bool {
    if let key = ScriptKey(name) {
      run(key)
      return true
    }
    guard let action = KeyAction(rawValue: name) else { return false }
    performOrReport(action)
    update()
    return true
  }

  /// Runs the command of a script, unless an overlay is open.
  func run(_ key: ScriptKey) {
    endPrefix()
    if overlays.isEmpty { desktop?.shell.tools.scripts.run(key) }
  }

  /// Runs an action that was chosen by its name, or shows a notice that it does not apply.
  func performOrReport(_ action: KeyAction) {
    guard perform(action) == .ignored else { return }
    let contexts = action.contexts
    // In Chats without a suitable conversation, a notice to go to Chats would be useless.
    let tabs = (desktop?.tabs(taking: action) ?? []).filter {
      $0.id != .chats || desktop?.openID != .chats
    }
    let panes =
      tabs.isEmpty
      ? (contexts.contains(.everywhere) ? [] : contexts.map { HelpPages.name(of: $0, localizer) })
      : tabs.map { $0.name(localizer) }
    desktop?.shell.show(
      StatusNotice(
        .info, panes.isEmpty ? "status.notHere" : "status.onlyThere",
        [
          "action": localizer(action.descriptionKey),
          "panes": panes.joined(separator: ", "),
        ]))
  }

  /// Returns whether the tab that an action opens exists; true if it opens none.
  private func hasTab(_ action: KeyAction) -> Bool {
    guard let index = KeyAction.tabs.firstIndex(of: action) else { return true }
    return desktop?.tabs.contains { $0.position == index + 1 } ?? true
  }
}
