import NatterCore
import Text
import XMPP

extension Command {
  /// `/account [NAME]`: switches to another account, by its number, its address or a part of it;
  /// without an argument, lists the accounts.
  package static let account = Command("account", [.account]) { call, context in
    let accounts = context.actions.accounts()
    guard !call.rest.isEmpty else {
      guard accounts.count > 1 else {
        return context.show(StatusNotice(.info, "status.oneAccount"))
      }
      return context.actions.choose(
        ChoiceRequest(
          title: context.format.localizer("accounts.choose"),
          labels: accounts.enumerated().map { "\($0 + 1)  \($1)" },
          selected: accounts.firstIndex(of: context.format.account) ?? 0
        ) { [actions = context.actions] in
          if let index = $0 { actions.showAccount(accounts[index]) }
        })
    }
    context.actions.showAccount(try account(call.rest, of: accounts))
  }

  private static func account(_ text: String, of accounts: [JID]) throws -> JID {
    if let number = Int(text), accounts.indices.contains(number - 1) { return accounts[number - 1] }
    let wanted =
      text.hasAddressMark
      ? JID(typed: text)?.bare.description ?? text.lowercased() : text.lowercased()
    let exact = accounts.filter { $0.description == wanted || $0.local == wanted }
    let found = exact.isEmpty ? accounts.filter { $0.description.contains(wanted) } : exact
    guard found.count == 1 else {
      throw NatterError(
        .invalidInput, found.isEmpty ? "error.unknownAccount" : "error.ambiguousAccount",
        [
          "text": text,
          "names": (found.isEmpty ? accounts : found).map(\.description).joined(separator: ", "),
        ])
    }
    return found[0]
  }

  /// `/password`: opens the form that changes the account's password.
  package static let password = Command("password") { _, context in
    context.actions.changePassword()
  }

  /// `/unregister`: deletes the account on its server, after two confirmations.
  package static let unregister = Command("unregister") { _, context in
    context.actions.confirm(
      ConfirmRequest(
        titleKey: "account.deleteTitle", textKey: "account.deleteText",
        acceptKey: "account.deleteGoOn"
      ) { [actions = context.actions] in actions.deleteAccount() })
  }
}
