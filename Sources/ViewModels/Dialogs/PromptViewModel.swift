import NatterCore

/// A form of a few lines of text, with what it is for above them: a new contact, another name.
package final class PromptViewModel {
  package let form: FormViewModel
  /// Takes the form off the screen.
  package var close: () -> Void = {}
  /// Called with what was typed, by field.
  /// - Returns: what is wrong with it, by field; the form stays then.
  package var onSubmit: ([String: String]) -> [String: String] = { _ in [:] }

  /// - Parameters:
  ///   - text: what it is for; empty for none.
  ///   - submit: what the button that does it says.
  package init(
    title: String, text: String = "", fields: [FormField], submit: String, localizer: Localizer
  ) {
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
    // The form holds this model while it is shown, and lets go of it when it is closed.
    form.onPress = { id in
      if id == "cancel" { return self.finish() }
      self.form.clearErrors()
      let typed = Dictionary(
        uniqueKeysWithValues: fields.map { ($0.id, self.form.text(of: $0.id).trimmed) })
      let wrong = self.onSubmit(typed)
      guard let first = fields.first(where: { wrong[$0.id] != nil }) else { return self.finish() }
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
