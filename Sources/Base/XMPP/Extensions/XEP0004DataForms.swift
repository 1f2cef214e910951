import XML

/// A form that an entity asks another to fill in (XEP-0004).
package struct XEP0004DataForm: Hashable, Sendable {
  /// The types of form (§3.1).
  package enum FormType: String, Hashable, Sendable { case form, submit, cancel, result }

  /// The types of field, with their names on the wire (§3.3).
  package enum FieldKind: String, Hashable, Sendable, CaseIterable {
    case boolean, fixed, hidden
    case jidMulti = "jid-multi"
    case jidSingle = "jid-single"
    case listMulti = "list-multi"
    case listSingle = "list-single"
    case textMulti = "text-multi"
    case textPrivate = "text-private"
    case textSingle = "text-single"
  }

  /// A choice of a list field; the label is for display.
  package struct Option: Hashable, Sendable {
    package let label: String?
    package let value: String

    package init(label: String? = nil, value: String) {
      self.label = label
      self.value = value
    }
  }

  /// A field of a form (§3.2).
  package struct Field: Hashable, Sendable {
    /// The field's `var`; only `fixed` fields lack it.
    package var name: String?
    package var kind: FieldKind
    package var label: String?
    package var description: String?
    package var isRequired: Bool
    package var values: [String]
    package var options: [Option]
    /// The URIs of media that belong to the field, such as pictures (XEP-0221).
    package var media: [String] = []

    package init(
      _ name: String?, kind: FieldKind = .textSingle, label: String? = nil,
      description: String? = nil, isRequired: Bool = false, values: [String] = [],
      options: [Option] = []
    ) {
      self.name = name
      self.kind = kind
      self.label = label
      self.description = description
      self.isRequired = isRequired
      self.values = values
      self.options = options
    }
  }

  package var kind: FormType
  package var title: String?
  package var instructions: [String]
  package var fields: [Field]
  /// The rows of a result that is a table, each field with the label of its column (§3.4).
  package var rows: [[Field]] = []

  package init(
    _ kind: FormType, title: String? = nil, instructions: [String] = [], fields: [Field] = []
  ) {
    self.kind = kind
    self.title = title
    self.instructions = instructions
    self.fields = fields
  }

  /// Reads an `<x/>`; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("x", Namespace.dataForms) else { return nil }
    self.init(
      element["type"].flatMap(FormType.init) ?? .form,
      title: element.first("title", Namespace.dataForms)?.text,
      instructions: element.all("instructions", Namespace.dataForms).map(\.text),
      fields: element.all("field", Namespace.dataForms).map { field in
        var result = Field(
          field["var"],
          kind: field["type"].flatMap(FieldKind.init) ?? .textSingle,
          label: field["label"], description: field.first("desc", Namespace.dataForms)?.text,
          isRequired: field.first("required", Namespace.dataForms) != nil,
          values: field.all("value", Namespace.dataForms).map(\.text),
          options: field.all("option", Namespace.dataForms).map {
            Option(
              label: $0["label"], value: $0.first("value", Namespace.dataForms)?.text ?? "")
          })
        result.media =
          field.first("media", Self.media)?.all("uri", Self.media).map(\.text) ?? []
        return result
      })
    let columns =
      element.first("reported", Namespace.dataForms)?
      .all("field", Namespace.dataForms) ?? []
    // Each field of each row looks up its label, and there may be thousands of both.
    let labels = Dictionary(
      columns.compactMap { column in column["var"].map { ($0, column["label"]) } },
      uniquingKeysWith: { first, _ in first })
    rows = element.all("item", Namespace.dataForms).map { item in
      item.all("field", Namespace.dataForms).map { field in
        Field(
          field["var"], label: field["var"].flatMap { labels[$0] ?? nil },
          values: field.all("value", Namespace.dataForms).map(\.text))
      }
    }
  }

  private static let media = "urn:xmpp:media-element"

  package subscript(name: String) -> Field? { fields.first { $0.name == name } }

  /// The `FORM_TYPE`, which names the form's subject (XEP-0068).
  package var formType: String? { self["FORM_TYPE"]?.values.first }

  /// Returns the submission of this form: `answers` by name, hidden fields unchanged.
  package func answered(_ answers: [String: [String]]) -> XEP0004DataForm {
    let filled = fields.compactMap { field -> Field? in
      guard let name = field.name, field.kind != .fixed else { return nil }
      let values = answers[name] ?? field.values
      guard !values.isEmpty || answers[name] != nil || field.kind == .hidden else { return nil }
      return Field(name, kind: field.kind, values: values)
    }
    return XEP0004DataForm(.submit, fields: filled)
  }

  package var element: Element {
    var form = Element("x", Namespace.dataForms, ["type": kind.rawValue])
    if let title { form.append(Element("title", Namespace.dataForms, text: title)) }
    for line in instructions {
      form.append(Element("instructions", Namespace.dataForms, text: line))
    }
    for field in fields { form.append(element(of: field)) }
    return form
  }

  private func element(of field: Field) -> Element {
    var element = Element("field", Namespace.dataForms)
    element["var"] = field.name
    // In a submission, the other side knows the types already.
    if kind != .submit || field.kind == .hidden { element["type"] = field.kind.rawValue }
    element["label"] = field.label
    if let description = field.description {
      element.append(Element("desc", Namespace.dataForms, text: description))
    }
    if field.isRequired { element.append(Element("required", Namespace.dataForms)) }
    for value in field.values {
      element.append(Element("value", Namespace.dataForms, text: value))
    }
    for option in field.options {
      var child = Element(
        "option", Namespace.dataForms, [:],
        [Element("value", Namespace.dataForms, text: option.value)])
      child["label"] = option.label
      element.append(child)
    }
    return element
  }
}
