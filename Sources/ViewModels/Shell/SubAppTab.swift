/// Which sub-app: a word of the program's own.
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
  private let names: [String: String]

  /// - Parameter names: what it is called, by the language's tag, where `Resources/locales` has no `tab.<id>`; English for the
  ///   languages that are not among them.
  package init(_ id: SubAppID, place: Int, names: [String: String] = [:]) {
    self.id = id
    self.place = place
    self.names = names
  }

  /// What it is called.
  package func name(_ localizer: Localizer) -> String {
    let key = "tab.\(id.rawValue)"
    guard !localizer.has(key) else { return localizer(key) }
    return names[localizer.tag] ?? names["en"] ?? id.rawValue
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
