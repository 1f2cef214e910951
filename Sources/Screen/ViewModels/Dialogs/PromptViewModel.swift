import NatterCore
import Text

/// A form of a few lines of text, with its purpose above them: a new contact, a new name.
package final class PromptViewModel {
  package let form: FormViewModel
  /// Closes the form.
  package var close: () -> Void = {}
  /// Called with the input, by field.
  /// - Returns: the errors by field; if there are any, the form stays open.
  package var onSubmit: ([String: String]) -> [String: String] = { _ in [:] }
  /// The fields that the user fills in.
  private let fields: [FormField]

  /// - Parameters:
  ///   - text: the purpose of the form; empty for none.
  ///   - submit: the label of the button that submits.
  package init(
    title: String, text: String = "", fields: [FormField], submit: String, localizer: Localizer
  ) {
    self.fields = fields
    var rows = fields
    if !text.isEmpty {
      rows.insert(FormField(.paragraph, "text", label: text), at: 0)
    }
    form = FormViewModel(
      title: title,
      fields: rows + [
        FormField(.spacer, "gap"), FormField(.button, "submit", label: submit),
        FormField(.button, "cancel", label: localizer("dialog.cancel")),
      ], keyHints: [localizer.hint("form.keysSubmit"), localizer.wayOut("dialog.keysClose")],
      defaultButton: "submit")
    listen()
  }

  /// Shows the closed form again, with its input, which could not be stored.
  /// - Parameters:
  ///   - message: the reason.
  ///   - show: shows a form, and returns what closes it.
  package func reopen(_ message: FormMessage, with show: (FormViewModel) -> () -> Void) {
    listen()
    form.message = message
    close = show(form)
  }

  private func listen() {
    // The form keeps this model alive while it is shown, and releases it when it is closed.
    form.onPress = { id in
      if id == "cancel" { return self.finish() }
      self.form.clearErrors()
      let typed = Dictionary(
        uniqueKeysWithValues: self.fields.map { ($0.id, self.form.text(of: $0.id).trimmed) })
      let wrong = self.onSubmit(typed)
      guard let first = self.fields.first(where: { wrong[$0.id] != nil }) else {
        return self.finish()
      }
      for (id, text) in wrong { self.form.update(id) { $0.error = text } }
      self.form.focus(on: first.id)
    }
    form.onCancel = { self.finish() }
  }

  private func finish() {
    close()
    form.onPress = { _ in }
    form.onCancel = {}
  }
}
