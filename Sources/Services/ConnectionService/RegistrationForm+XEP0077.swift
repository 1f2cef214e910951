import NatterCore
import XMPP

extension RegistrationForm {
  /// Makes the form without the fields that this program fills in itself.
  init(_ asked: XEP0077Registration) {
    let own: Set<String> = ["username", "password", "FORM_TYPE"]
    guard let form = asked.form else {
      self.init(
        instructions: asked.instructions,
        questions: DataForm(
          fields: asked.fields.filter { !own.contains($0) }.map {
            DataForm.Field(name: $0, kind: .text, label: $0, isRequired: true)
          }), url: asked.url)
      return
    }
    let fields = form.fields.filter { $0.name.map { !own.contains($0) } ?? true }
    var hidden: [String: [String]] = [:]
    // The answer may be sent over another connection, where the server would send another form.
    for field in fields where field.kind == .hidden { hidden[field.name ?? ""] = field.values }
    let links = fields.filter(\.isFallback).flatMap(\.values)
    let pictures = fields.flatMap(\.media)
    let instructions = form.instructions.joined(separator: "\n")
    self.init(
      instructions: instructions.isEmpty ? asked.instructions : instructions,
      questions: DataForm(XEP0004DataForm(.form, fields: fields.flatMap(\.shown))),
      hidden: hidden, url: asked.url,
      lacksPicture: links.isEmpty && asked.url == nil && !pictures.isEmpty
        && !pictures.contains { $0.hasPrefix("http") })
  }
}

extension XEP0004DataForm.Field {
  /// `true` if it is the address of a page with the challenge (XEP-0158 §4).
  fileprivate var isFallback: Bool { name == "captcha-fallback-url" }

  /// The fields that are shown instead: the address of a challenge's picture comes before the field
  /// for the answer (XEP-0158, XEP-0221).
  fileprivate var shown: [XEP0004DataForm.Field] {
    if kind == .hidden { return [] }
    if isFallback { return values.filter { !$0.isEmpty }.map(Self.note) }
    if kind == .fixed { return (label.map { [$0] } ?? []).map(Self.note) + values.map(Self.note) }
    return media.filter { $0.hasPrefix("http") }.map(Self.note) + (name == nil ? [] : [self])
  }

  private static func note(_ text: String) -> XEP0004DataForm.Field {
    XEP0004DataForm.Field(nil, kind: .fixed, values: [text])
  }
}
