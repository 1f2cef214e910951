/// A key and what it does, as `Enter open`, in the line of keys of an overlay.
package struct KeyHint: Hashable, Sendable {
  /// Begins with the key; of several keys the label goes with the last. Empty: it is not shown.
  package let text: String
  /// Whether it tells how to leave: it is kept where others have no room.
  package let isWayOut: Bool

  package init(_ text: String, isWayOut: Bool = false) {
    (self.text, self.isWayOut) = (text, isWayOut)
  }
}

extension Localizer {
  /// The hint of that key of the texts.
  package func hint(_ key: String) -> KeyHint { KeyHint(self(key)) }

  /// The hint that tells how to leave, of that key of the texts.
  package func wayOut(_ key: String) -> KeyHint { KeyHint(self(key), isWayOut: true) }
}
