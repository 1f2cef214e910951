/// The header fields of a request or reply, in their order (RFC 9110 §5).
package struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One field.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Indicates whether the field can be written as one line: a token, and a value without control
    /// characters (RFC 9110 §5.5).
    package var isValid: Bool {
      !name.isEmpty
        && name.utf8.allSatisfy { byte in
          switch Unicode.Scalar(byte) {
          case "a"..."z", "A"..."Z", "0"..."9": true
          case _: "!#$%&'*+-.^_`|~".utf8.contains(byte)
          }
        } && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
  }

  /// The fields, in their order.
  package private(set) var fields: [Field] = []

  package init() {}

  package init(_ fields: [Field]) { self.fields = fields }

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0, $1) }
  }

  /// The first field of that name, compared without case; setting it replaces all of them, and
  /// `nil` removes them.
  package subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append(Field(name, newValue)) }
    }
  }

  /// Returns every value of that name.
  package func all(_ name: String) -> [String] {
    fields.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name, value))
  }

  /// The fields without those that would identify the user to another server.
  var withoutCredentials: HTTPHeaders {
    HTTPHeaders(
      fields.filter { field in
        !["authorization", "cookie", "proxy-authorization"].contains(field.name.lowercased())
      })
  }

  private static func isSame(_ a: String, _ b: String) -> Bool {
    a == b || a.lowercased() == b.lowercased()
  }
}
