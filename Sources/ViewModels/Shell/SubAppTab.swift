/// Which sub-app: a word of the program's own, also the key of its title (`tab.<id>`).
nonisolated package struct SubAppID: RawRepresentable, Hashable, Sendable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  package static let chats = SubAppID(rawValue: "chats")
  package static let contacts = SubAppID(rawValue: "contacts")
  package static let discover = SubAppID(rawValue: "discover")
  package static let files = SubAppID(rawValue: "files")
  package static let me = SubAppID(rawValue: "me")
}

/// A sub-app as the tab bar has it.
nonisolated package struct SubAppTab: Hashable, Sendable {
  package let id: SubAppID
  /// Its place among the tabs, from 1: the key that opens it stays the same when another sub-app is missing.
  package let place: Int
  /// Its name, a key of `Resources/locales`.
  package var titleKey: String { "tab.\(id.rawValue)" }

  package init(_ id: SubAppID, place: Int) {
    self.id = id
    self.place = place
  }

  package static let chats = SubAppTab(.chats, place: 1)
}

/// A tab, its text final.
nonisolated package struct TabItem: Identifiable, Hashable, Sendable {
  package let id: SubAppID
  package let place: Int
  package let name: String
  /// How much there is to see; empty for nothing.
  package let badge: String
  package let isActive: Bool
}
