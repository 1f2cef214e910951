import NatterCore
import Text

// Fields of the XMPP registrar (XEP-0068 §3): their labels are translated, whatever label the
// server sends.
extension Localizer {
  /// Returns a field with this language's label if its name is registered; the rest as received.
  nonisolated func known(_ field: DataForm.Field) -> DataForm.Field {
    guard let group = Self.group(of: field.name) else { return field }
    let key = "field.\(group.name).\(field.name.dropFirst(group.prefix.count))"
    return DataForm.Field(
      name: field.name, kind: known(field.kind, values: "field.\(group.name).value."),
      label: has(key) ? self(key) : field.label, hint: field.hint, isRequired: field.isRequired,
      values: field.values)
  }

  /// Returns a registration form (XEP-0077 §14.1) with this language's labels for registered names.
  nonisolated func knownToNewcomers(_ form: DataForm) -> DataForm {
    func line(_ option: DataForm.Option) -> DataForm.Option {
      DataForm.Option(label: ErrorText.oneLine(option.label), value: option.value)
    }
    return DataForm(
      fields: form.fields.map { field in
        let key = "field.register.\(field.name)"
        let label = ErrorText.oneLine(field.label)
        let kind: DataForm.Field.FieldType =
          switch field.kind {
          case .choice(let options): .choice(options.map(line))
          case .choices(let options): .choices(options.map(line))
          case .boolean, .text, .secret, .lines, .addresses, .note: field.kind
          }
        return DataForm.Field(
          name: field.name, kind: kind,
          label: has(key) ? self(key) : label.isEmpty ? ErrorText.oneLine(field.name) : label,
          hint: field.hint.map(ErrorText.oneLine), isRequired: field.isRequired,
          values: field.values)
      })
  }

  /// Fields of one form share a prefix (XEP-0045 §15.5).
  nonisolated private static func group(of name: String) -> (name: String, prefix: String)? {
    [
      ("roomconfig", "muc#roomconfig_"), ("roomregister", "muc#register_"),
      ("room", "muc#"),
    ].first { name.hasPrefix($0.1) }
  }

  nonisolated private func known(
    _ kind: DataForm.Field.FieldType, values: String
  ) -> DataForm.Field.FieldType {
    func known(_ options: [DataForm.Option]) -> [DataForm.Option] {
      options.map { option in
        let key = values + option.value
        return has(key) ? DataForm.Option(label: self(key), value: option.value) : option
      }
    }
    switch kind {
    case .choice(let options): return .choice(known(options))
    case .choices(let options): return .choices(known(options))
    case .boolean, .text, .secret, .lines, .addresses, .note: return kind
    }
  }
}
