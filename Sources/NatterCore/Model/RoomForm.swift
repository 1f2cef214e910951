/// What a room asks its owner about its settings (XEP-0045 §10.2), in the order of the room.
package struct RoomForm: Hashable, Sendable {
  package struct Option: Hashable, Sendable {
    package let label: String
    package let value: String
    package init(label: String, value: String) {
      self.label = label
      self.value = value
    }
  }

  package struct Field: Hashable, Sendable, Identifiable {
    /// One for each of XEP-0004 §3.3's types that a person can see.
    package enum Kind: Hashable, Sendable {
      case boolean, text, secret
      /// Several texts, one a line.
      case lines
      /// Several addresses.
      case addresses
      case choice([Option])
      case choices([Option])
      /// Text to read.
      case note
    }

    package let name: String
    package let kind: Kind
    /// From outside.
    package let label: String
    package let hint: String?
    package let isRequired: Bool
    package let values: [String]

    package var id: String { name }

    package init(
      name: String, kind: Kind, label: String, hint: String? = nil, isRequired: Bool = false,
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
