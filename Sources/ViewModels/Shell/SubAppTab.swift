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
  private let texts: [String: String]

  /// What it is called and is for, by the language's tag, where `Resources/locales` does not say it; English for the languages
  /// that are not among them.
  /// - Parameters:
  ///   - names: in place of `tab.<id>`.
  ///   - texts: what the guide says of it, in place of `guide.<id>Text`.
  package init(
    _ id: SubAppID, place: Int, names: [String: String] = [:], texts: [String: String] = [:]
  ) {
    self.id = id
    self.place = place
    self.names = names
    self.texts = texts
  }

  /// What it is called.
  package func name(_ localizer: Localizer) -> String {
    words("tab.\(id.rawValue)", names, localizer) ?? id.rawValue
  }

  /// What it is for, as the guide says it.
  func text(_ localizer: Localizer) -> String {
    words("guide.\(id.rawValue)Text", texts, localizer) ?? ""
  }

  /// The same where there is little room.
  func shortText(_ localizer: Localizer) -> String {
    words("guide.\(id.rawValue)Short", [:], localizer) ?? text(localizer)
  }

  private func words(_ key: String, _ own: [String: String], _ localizer: Localizer) -> String? {
    localizer.has(key) ? localizer(key) : own[localizer.tag] ?? own["en"]
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
