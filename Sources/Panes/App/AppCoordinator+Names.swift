import ViewModels

// What can be asked for by name, and not by a key.
extension AppCoordinator {
  /// The actions that can be asked for by name, and what they do.
  package var actionNames: [(name: String, text: String)] {
    var seen: Set<KeyAction> = []
    return bindings.bindings.compactMap { binding in
      guard !Desktop.unlistedActions.contains(binding.action), seen.insert(binding.action).inserted
      else { return nil }
      return (binding.action.rawValue, localizer(binding.descriptionKey))
    }
  }

  /// Does the action of that name, as its key would.
  /// - Returns: whether there is one.
  package func perform(named name: String) -> Bool {
    guard let action = KeyAction(rawValue: name) else { return false }
    perform(action)
    update()
    return true
  }
}
