import NatterCore
import Text

/// The form that deletes the account on its server (XEP-0077 §3.2), confirmed by typing its
/// address.
package final class AccountDeletionViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}
  /// Called when the server has deleted it, with the choice whether to delete the messages here.
  package var onDeleted: (_ deletesData: Bool) -> Void = { _ in }
  private let account: any AccountChanging
  private let address: String
  private let localizer: Localizer

  private enum ID {
    static let address = "address"
    static let data = "data"
    static let delete = "delete"
    static let cancel = "cancel"
  }

  package init(account: any AccountChanging, address: String, localizer: Localizer) {
    self.account = account
    self.address = address
    self.localizer = localizer
    var typed = FormField(.text, ID.address, label: localizer("signin.address"))
    typed.isRequired = true
    form = FormViewModel(
      title: localizer("account.deleteTitle"),
      fields: [
        FormField(
          .paragraph, "text", label: localizer("account.deleteType", ["address": address])),
        FormField(.spacer, "space-1"), typed,
        FormField(.checkbox, ID.data, label: localizer("account.deleteData")),
        FormField(.spacer, "space-2"),
        FormField(.button, ID.cancel, label: localizer("dialog.cancel")),
        FormField(.button, ID.delete, label: localizer("account.delete")),
      ], keyHints: [localizer.hint("signin.keysNext"), localizer.wayOut("dialog.keysClose")],
      defaultButton: ID.cancel)
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { id in if id == ID.delete { self.delete() } else { self.finish() } }
    form.onCancel = { self.finish() }
  }

  private func delete() {
    form.clearErrors()
    guard form.text(of: ID.address).trimmed.lowercased() == address.lowercased() else {
      form.update(ID.address) { $0.error = localizer("account.deleteOther") }
      return form.focus(on: ID.address)
    }
    form.isBusy = true
    form.message = FormMessage(.progress, [localizer("account.deleting")])
    let deletesData = form.isOn(ID.data)
    Task {
      do {
        try await account.deleteAccount()
        form.isBusy = false
        finish()
        onDeleted(deletesData)
      } catch {
        form.isBusy = false
        let reported = NatterError(reporting: error, key: "error.unexpected")
        form.message = FormMessage(.error, [localizer(reported)])
      }
    }
  }

  private func finish() {
    // The server may have deleted it already: its answer decides.
    guard !form.isBusy else { return }
    close()
    form.onPress = { _ in }
    form.onCancel = {}
  }
}
