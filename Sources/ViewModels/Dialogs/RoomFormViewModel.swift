import NatterCore

/// The settings of a room, as a form to fill in (XEP-0045 §10.2). Only what was changed is answered.
package final class RoomFormViewModel {
  package let form: FormViewModel
  /// Takes the form off the screen.
  package var close: () -> Void = {}
  /// Takes the changed settings by name.
  package var onSubmit: ([String: [String]]) -> Void = { _ in }

  private let fields: [RoomForm.Field]

  package init(_ settings: RoomForm, title: String, localizer: Localizer) {
    fields = settings.fields
    var rows = settings.instructions.enumerated().map {
      FormField(.paragraph, "instructions \($0.offset)", label: $0.element)
    }
    for (number, field) in settings.fields.enumerated() {
      rows += Self.rows(of: field, number: number)
    }
    form = FormViewModel(
      title: title,
      fields: rows + [
        FormField(.spacer, "gap"), FormField(.button, "save", label: localizer("room.save")),
        FormField(.button, "cancel", label: localizer("dialog.cancel")),
      ], keyHints: [localizer("room.keysSave"), localizer("dialog.keysClose")],
      defaultButton: "save")
    // The form holds this model while it is shown, and lets go of it when it is closed.
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

  /// What was changed.
  var answers: [String: [String]] {
    var answers: [String: [String]] = [:]
    for (number, field) in fields.enumerated() {
      guard let now = values(of: field, number: number), now != Self.normal(field) else {
        continue
      }
      answers[field.name] = now
    }
    return answers
  }

  private static func id(_ number: Int, _ part: Int? = nil) -> String {
    part.map { "field \(number) \($0)" } ?? "field \(number)"
  }

  private static func rows(of field: RoomForm.Field, number: Int) -> [FormField] {
    func row(_ kind: FormField.Kind) -> FormField {
      var row = FormField(kind, id(number), label: field.label)
      row.hint = field.hint
      row.isRequired = field.isRequired
      return row
    }
    switch field.kind {
    case .note: return [row(.paragraph)]
    case .boolean:
      var row = row(.checkbox)
      row.isOn = normal(field) == ["1"]
      return [row]
    case .text, .lines, .addresses:
      var row = row(.text)
      row.text = text(of: field)
      row.cursor = row.text.count
      return [row]
    case .secret:
      var row = row(.password)
      row.text = field.values.first ?? ""
      return [row]
    case .choice(let options):
      // A choice of nothing is nothing to choose.
      guard !options.isEmpty else { return [] }
      var row = row(.choice(options.map(\.label)))
      row.selected = options.firstIndex { $0.value == field.values.first } ?? 0
      return [row]
    case .choices(let options):
      return [FormField(.paragraph, id(number), label: field.label)]
        + options.enumerated().map { place, option in
          var row = FormField(.checkbox, id(number, place), label: option.label)
          row.isOn = field.values.contains(option.value)
          return row
        }
    }
  }

  private func values(of field: RoomForm.Field, number: Int) -> [String]? {
    guard let row = form[Self.id(number)] else { return nil }
    switch field.kind {
    case .note: return nil
    case .boolean: return [row.isOn ? "1" : "0"]
    case .secret: return [row.text]
    case .text: return [row.text]
    case .lines, .addresses:
      // Shown on one line: what nobody touched stays as it was.
      guard row.text != Self.text(of: field) else { return nil }
      return row.text.split(separator: field.kind == .lines ? "|" : ",").map {
        String($0).trimmed
      }.filter { !$0.isEmpty }
    case .choice(let options):
      // What the room has without offering it stays while nobody chooses.
      guard options.indices.contains(row.selected) else { return nil }
      let isKnown = options.contains { $0.value == field.values.first }
      return !isKnown && row.selected == 0 ? nil : [options[row.selected].value]
    case .choices(let options):
      return options.enumerated().filter { form.isOn(Self.id(number, $0.offset)) }
        .map(\.element.value)
    }
  }

  /// The field's values as `values(of:)` would give them back.
  private static func normal(_ field: RoomForm.Field) -> [String] {
    switch field.kind {
    case .boolean: [["1", "true"].contains(field.values.first ?? "") ? "1" : "0"]
    case .text, .secret: [field.values.first ?? ""]
    case .choices(let options):
      options.map(\.value).filter { field.values.contains($0) }
    default: field.values
    }
  }

  private static func text(of field: RoomForm.Field) -> String {
    field.values.joined(separator: field.kind == .lines ? " | " : ", ")
  }
}
