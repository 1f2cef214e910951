import Text

/// A key and its action, such as `Enter open`, in the line of keys of an overlay.
package struct KeyHint: Hashable, Sendable {
  /// The text, which begins with the key; of several keys the last has the label. Hidden if empty.
  package let text: String
  /// True if it shows how to leave: it is kept when there is no room for others.
  package let isWayOut: Bool

  package init(_ text: String, isWayOut: Bool = false) {
    (self.text, self.isWayOut) = (text, isWayOut)
  }
}

extension Localizer {
  /// Returns the hint of that text key.
  package func hint(_ key: String) -> KeyHint { KeyHint(self(key)) }

  /// Returns the hint for leaving, of that text key.
  package func wayOut(_ key: String) -> KeyHint { KeyHint(self(key), isWayOut: true) }
}
