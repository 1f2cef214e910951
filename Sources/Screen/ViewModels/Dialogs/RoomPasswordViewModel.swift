import NatterCore
import Text

/// The prompt for a room's password. It has a field of its own: the input line keeps a history.
package final class RoomPasswordViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}
  package var onSubmit: (String) -> Void = { _ in }

  /// - Parameter wasWrong: whether the room has refused a password before.
  package init(room: String, wasWrong: Bool, localizer: Localizer) {
    var text = FormField(
      .paragraph, "text", label: localizer("room.passwordText", ["name": room]))
    text.isRequired = false
    var password = FormField(.password, "password", label: localizer("room.password"))
    password.isRequired = true
    if wasWrong { password.error = localizer("room.passwordWrong") }
    form = FormViewModel(
      title: localizer("room.passwordTitle"),
      fields: [
        text, password, FormField(.spacer, "gap"),
        FormField(.button, "enter", label: localizer("room.enter")),
        FormField(.button, "cancel", label: localizer("dialog.cancel")),
      ], keyHints: [localizer.hint("room.keysEnter"), localizer.wayOut("dialog.keysClose")],
      defaultButton: "enter")
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { id in
      if id == "cancel" { return self.finish() }
      let typed = self.form.text(of: "password")
      guard !typed.isEmpty else { return }
      self.finish()
      self.onSubmit(typed)
    }
    form.onCancel = { self.finish() }
  }

  private func finish() {
    close()
    form.onPress = { _ in }
    form.onCancel = {}
  }
}
