import Text

/// The identifier of a sub-app, as used in the program.
nonisolated package struct SubAppID: RawRepresentable, Hashable, Sendable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  package static let chats = SubAppID(rawValue: "chats")
  package static let contacts = SubAppID(rawValue: "contacts")
  package static let discover = SubAppID(rawValue: "discover")
  package static let files = SubAppID(rawValue: "files")
  package static let me = SubAppID(rawValue: "me")
}

/// A sub-app in the tab bar.
nonisolated package struct SubAppTab: Hashable, Sendable {
  package let id: SubAppID
  /// Its position among the tabs, from 1: its key stays the same when another sub-app is missing.
  package let position: Int
  private let names: [String: String]
  private let texts: [String: String]

  /// Creates a tab with names and descriptions by language tag, for texts that `Resources/locales`
  /// lacks; English serves all other languages.
  /// - Parameters:
  ///   - names: used instead of `tab.<id>`.
  ///   - texts: descriptions for the guide, used instead of `guide.<id>Text`.
  package init(
    _ id: SubAppID, position: Int, names: [String: String] = [:], texts: [String: String] = [:]
  ) {
    self.id = id
    self.position = position
    self.names = names
    self.texts = texts
  }

  /// The displayed name.
  package func name(_ localizer: Localizer) -> String {
    spoken("tab.\(id.rawValue)", names, localizer) ?? id.rawValue
  }

  /// The description in the guide.
  package func text(_ localizer: Localizer) -> String {
    spoken("guide.\(id.rawValue)Text", texts, localizer) ?? ""
  }

  /// The short description, for narrow screens.
  package func shortText(_ localizer: Localizer) -> String {
    spoken("guide.\(id.rawValue)Short", [:], localizer) ?? text(localizer)
  }

  private func spoken(_ key: String, _ own: [String: String], _ localizer: Localizer) -> String? {
    localizer.has(key) ? localizer(key) : own[localizer.tag] ?? own["en"]
  }

  package static let chats = SubAppTab(.chats, position: 1)
}
