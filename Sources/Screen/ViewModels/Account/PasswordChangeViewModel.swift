import NatterCore
import Text

/// The form that changes the account's password (XEP-0077 §3.3).
package final class PasswordChangeViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}
  private let account: any AccountChanging
  private let localizer: Localizer

  private enum ID {
    static let password = "password"
    static let again = "again"
    static let change = "change"
    static let cancel = "cancel"
  }

  package init(account: any AccountChanging, address: String, localizer: Localizer) {
    self.account = account
    self.localizer = localizer
    var password = FormField(.password, ID.password, label: localizer("account.newPassword"))
    password.isRequired = true
    password.hint = localizer("signin.passwordHint")
    var again = FormField(
      .password, ID.again, label: localizer("register.again"),
      compactLabel: localizer("register.againShort"))
    again.isRequired = true
    form = FormViewModel(
      title: localizer("account.passwordTitle"),
      fields: [
        FormField(
          .paragraph, "text", label: localizer("account.passwordText", ["address": address])),
        FormField(.spacer, "space-1"), password, again, FormField(.spacer, "space-2"),
        FormField(.button, ID.change, label: localizer("account.change")),
        FormField(.button, ID.cancel, label: localizer("dialog.cancel")),
      ], keyHints: [localizer.hint("signin.keysNext"), localizer.wayOut("dialog.keysClose")],
      defaultButton: ID.change)
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { id in if id == ID.change { self.change() } else { self.finish() } }
    form.onCancel = { self.finish() }
  }

  private func change() {
    form.clearErrors()
    let password = form.text(of: ID.password)
    guard !password.isEmpty else {
      form.update(ID.password) { $0.error = localizer("signin.passwordMissing") }
      return form.focus(on: ID.password)
    }
    guard password == form.text(of: ID.again) else {
      form.update(ID.again) { $0.error = localizer("register.passwordsDiffer") }
      return form.focus(on: ID.again)
    }
    form.isBusy = true
    form.message = FormMessage(.progress, [localizer("account.changing")])
    Task {
      do {
        changed(try await account.changePassword(to: password))
      } catch {
        form.isBusy = false
        let reported = NatterError(reporting: error, key: "error.unexpected")
        form.message = FormMessage(.error, [localizer(reported)])
      }
    }
  }

  /// - Parameter left: why the new password could not be saved here, if so.
  private func changed(_ left: NatterError?) {
    form.isBusy = false
    let lines = [localizer("account.passwordChanged")] + (left.map { [notKept($0)] } ?? [])
    form.replace(
      title: localizer("account.passwordTitle"),
      fields: lines.enumerated().map { FormField(.paragraph, "done-\($0)", label: $1) } + [
        FormField(.spacer, "space-1"),
        FormField(.button, ID.cancel, label: localizer("account.close")),
      ], focus: ID.cancel)
    form.defaultButton = ID.cancel
    form.message = nil
  }

  private func notKept(_ reason: NatterError) -> String {
    localizer("account.passwordNotKept", ["reason": localizer(reason)])
  }

  private func finish() {
    // The server may have changed it already: its answer decides.
    guard !form.isBusy else { return }
    close()
    form.onPress = { _ in }
    form.onCancel = {}
  }
}
