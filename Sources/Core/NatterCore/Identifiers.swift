import FoundationEssentials

/// Generates unguessable, unique ids for stanzas and messages (RFC 6120 §8.1.3).
package struct IdentifierSource: Sendable {
  private let make: @Sendable () -> String
  package init(_ make: @escaping @Sendable () -> String = { UUID().uuidString.lowercased() }) {
    self.make = make
  }
  /// Returns a new id.
  package func next() -> String { make() }
}
