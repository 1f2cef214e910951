import Keys
import Terminal
import ViewModels

// The accounts below the conversations are the end of that list for the keys that walk through it.
extension ChatsScreen {
  /// Indicates whether the selected row is the last one of the list, with the accounts below it.
  var isAtListEnd: Bool {
    guard layout.accounts != nil, shell.sidebar.filter == nil else { return false }
    return shell.sidebar.items.last(where: \.isSelectable)?.isSelected ?? true
  }

  /// Gives the keys to the accounts.
  /// - Parameter step: from the shown one, where the mark goes.
  func enterAccounts(_ step: Int) {
    focus.update([.accounts])
    updateFocus()
    shell.accounts.moveSelection(step)
  }

  func performInAccounts(_ action: KeyAction) {
    switch action {
    case .selectNext: shell.accounts.moveSelection(1)
    case .selectPrevious: if !shell.accounts.moveSelection(-1) { leaveAccounts(.max) }
    case .selectFirst: leaveAccounts(.min)
    case .selectLast: shell.accounts.moveSelection(.max)
    case .open:
      guard let selection = shell.accounts.selection else { return }
      // The focus is on the conversations when the user comes back.
      focus.focus(.sidebar)
      updateFocus()
      shell.actions.showAccount(selection)
    default: break
    }
  }

  /// Gives the keys back to the conversations.
  private func leaveAccounts(_ step: Int) {
    guard shell.sidebar.items.contains(where: \.isSelectable) else {
      _ = shell.accounts.moveSelection(.min)
      return
    }
    focus.focus(.sidebar)
    updateFocus()
    shell.sidebar.moveSelection(step)
  }
}
