import NatterCore
import Terminal
import ViewModels

// What can be asked for by name, and not by a key.
extension AppCoordinator {
  /// The actions that can be asked for by name where commands are typed, and what they do.
  package var actionNames: [(name: String, text: String)] {
    KeyAction.allCases.filter { !ChatsScreen.foreign.contains($0) && hasTab($0) }.map {
      ($0.rawValue, localizer($0.descriptionKey))
    }
  }

  /// Has the finder that is open find what has come since, beside the account's own.
  package func offerMore() {
    guard let palette, let desktop else { return }
    palette.add(desktop.moreEntries())
    update()
  }

  /// Does the action of that name, as its key would; where there is nothing that it is done to, that is told.
  /// - Returns: whether there is one.
  package func perform(named name: String) -> Bool {
    guard let action = KeyAction(rawValue: name) else { return false }
    performOrTell(action)
    update()
    return true
  }

  /// Does an action that was chosen by its name.
  func performOrTell(_ action: KeyAction) {
    guard perform(action) == .ignored else { return }
    let places = action.contexts
    // Whoever is in Chats, and has no conversation for it, need not go there.
    let tabs = (desktop?.tabs(taking: action) ?? []).filter {
      $0.id != .chats || desktop?.openID != .chats
    }
    let panes =
      tabs.isEmpty
      ? (places.contains(.everywhere) ? [] : places.map { HelpPages.name(of: $0, localizer) })
      : tabs.map { $0.name(localizer) }
    desktop?.shell.show(
      StatusNotice(
        .info, panes.isEmpty ? "status.notHere" : "status.onlyThere",
        [
          "action": localizer(action.descriptionKey),
          "panes": panes.joined(separator: ", "),
        ]))
  }

  /// Whether there is the tab that it opens, where it opens one.
  private func hasTab(_ action: KeyAction) -> Bool {
    guard let index = KeyAction.tabs.firstIndex(of: action) else { return true }
    return desktop?.tabs.contains { $0.place == index + 1 } ?? true
  }
}
