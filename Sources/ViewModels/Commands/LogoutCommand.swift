import NatterCore

extension Command {
  /// `/logout`: signs out and forgets the password, after asking.
  package static let logout = Command("logout") { _, context in
    context.actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.logoutTitle", textKey: "confirm.logout",
        acceptKey: "confirm.logoutAccept"
      ) { [actions = context.actions] in actions.signOut() })
  }
}
