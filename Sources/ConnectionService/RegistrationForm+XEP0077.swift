import NatterCore
import XMPP

extension RegistrationForm {
  /// The form without what this program fills in by itself.
  init(_ asked: XEP0077Registration) {
    let own: Set<String> = ["username", "password", "FORM_TYPE"]
    let fields: [Field] =
      if let form = asked.form {
        form.fields.flatMap { Self.fields(of: $0, own: own) }
      } else {
        asked.fields.filter { !own.contains($0) }.map {
          Field(name: $0, label: $0, isRequired: true, isPrivate: false, value: "")
        }
      }
    let instructions = asked.form?.instructions.joined(separator: "\n") ?? ""
    self.init(
      instructions: instructions.isEmpty ? asked.instructions : instructions, fields: fields,
      url: asked.url)
  }

  private static func fields(of field: XEP0004DataForm.Field, own: Set<String>) -> [Field] {
    let value = field.values.first ?? ""
    // Where the question is a picture, its address comes before the field for the answer (XEP-0158, XEP-0221).
    let pictures = field.media.filter { $0.hasPrefix("http") }.map { note($0) }
    if field.kind == .fixed { return field.values.map(note) }
    guard let name = field.name, !own.contains(name) else { return [] }
    if name == "captcha-fallback-url" { return value.isEmpty ? [] : [note(value)] }
    var result = Field(
      name: name, label: field.label ?? name, isRequired: field.isRequired,
      isPrivate: field.kind == .textPrivate, value: value)
    result.isBoolean = field.kind == .boolean
    // The answer may go out over another connection, where the server would ask something else.
    result.isHidden = field.kind == .hidden
    if field.kind == .listSingle {
      result.options = field.options.map {
        Field.Option(value: $0.value, label: $0.label ?? $0.value)
      }
    }
    return pictures + [result]
  }

  private static func note(_ text: String) -> Field {
    var field = Field(name: "", label: text, isRequired: false, isPrivate: false, value: "")
    field.isNote = true
    return field
  }
}
