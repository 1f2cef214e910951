import XMPP

/// A data form of another entity, or a result, as the user sees it (XEP-0004), in the order of that
/// entity.
package struct DataForm: Hashable, Sendable {
  /// An option of a choice; both texts are untrusted.
  package struct Option: Hashable, Sendable {
    package let label: String
    package let value: String
    package init(label: String, value: String) {
      self.label = label
      self.value = value
    }
  }

  /// A visible field, with its present values.
  package struct Field: Hashable, Sendable, Identifiable {
    /// The field types of XEP-0004 §3.3 that are shown.
    package enum FieldType: Hashable, Sendable {
      case boolean, text, secret
      /// Several texts, one per line.
      case lines
      /// Several addresses.
      case addresses
      case choice([Option])
      case choices([Option])
      /// Read-only text.
      case note
    }

    package let name: String
    package let kind: FieldType
    /// Untrusted.
    package let label: String
    package let hint: String?
    package let isRequired: Bool
    package let values: [String]

    package var id: String { name }

    package init(
      name: String, kind: FieldType, label: String, hint: String? = nil, isRequired: Bool = false,
      values: [String] = []
    ) {
      self.name = name
      self.kind = kind
      self.label = label
      self.hint = hint
      self.isRequired = isRequired
      self.values = values
    }
  }

  package let instructions: [String]
  package let fields: [Field]

  package init(instructions: [String] = [], fields: [Field]) {
    self.instructions = instructions
    self.fields = fields
  }
}

extension DataForm {
  /// The visible part of `form`.
  package init(_ form: XEP0004DataForm) {
    let fields = form.fields.compactMap { field -> Field? in
      guard field.kind != .hidden else { return nil }
      let options = field.options.map {
        Option(label: $0.label ?? $0.value, value: $0.value)
      }
      let kind: Field.FieldType =
        switch field.kind {
        case .boolean: .boolean
        case .textPrivate: .secret
        case .textMulti: .lines
        case .jidMulti: .addresses
        case .listSingle: .choice(options)
        case .listMulti: .choices(options)
        case .fixed: .note
        case .textSingle, .jidSingle, .hidden: .text
        }
      return Field(
        name: field.name ?? "", kind: kind,
        label: field.label ?? (kind == .note ? field.values.joined(separator: " ") : nil)
          ?? field.name ?? "",
        hint: field.description, isRequired: field.isRequired,
        values: field.values)
    }
    // The results, from a table: each row labelled with the table's column headings (§3.4).
    let found = form.rows.flatMap { row in
      row.map {
        Field(name: $0.name ?? "", kind: .text, label: $0.label ?? $0.name ?? "", values: $0.values)
      }
    }
    self.init(instructions: form.instructions, fields: fields + found)
  }
}
