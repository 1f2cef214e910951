import NatterCore
import Text

/// The settings of a room, as a form (XEP-0045 §10.2). Only the changed fields are submitted.
package final class RoomFormViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}
  /// Called with the changed settings, by name.
  package var onSubmit: ([String: [String]]) -> Void = { _ in }

  private let rows: DataFormRows

  package init(_ settings: DataForm, title: String, localizer: Localizer) {
    rows = DataFormRows(settings, localizer: localizer)
    form = FormViewModel(
      title: title,
      fields: rows.rows + [
        FormField(.spacer, "gap"), FormField(.button, "save", label: localizer("room.save")),
        FormField(.button, "cancel", label: localizer("dialog.cancel")),
      ], keyHints: [localizer.hint("room.keysSave"), localizer.wayOut("dialog.keysClose")],
      defaultButton: "save")
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { id in
      let answers = self.answers
      self.finish()
      if id == "save", !answers.isEmpty { self.onSubmit(answers) }
    }
    form.onCancel = { self.finish() }
  }

  private func finish() {
    close()
    form.onPress = { _ in }
    form.onCancel = {}
  }

  /// The changed settings.
  var answers: [String: [String]] { rows.answers(in: form) }
}
