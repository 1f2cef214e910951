import NatterCore

extension Command {
  /// `/password`: another password for the account, asked for in a form.
  package static let password = Command("password") { _, context in
    context.actions.changePassword()
  }

  /// `/unregister`: deletes the account on its server, after asking twice.
  package static let unregister = Command("unregister") { _, context in
    context.actions.confirm(
      ConfirmRequest(
        titleKey: "account.deleteTitle", textKey: "account.deleteText",
        acceptKey: "account.deleteGoOn"
      ) { [actions = context.actions] in actions.deleteAccount() })
  }
}
