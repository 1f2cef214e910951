import Keys

/// A tab, its text final.
nonisolated package struct TabItem: Identifiable, Hashable, Sendable {
  package let id: SubAppID
  package let position: Int
  package let name: String
  /// The count of new items; empty for none.
  package let badge: String
  package let isActive: Bool
}
