/// An entry of the palette: a destination or an action.
package struct PaletteEntry {
  /// The kind of an entry, which decides its glyph and the prefix that restricts to it.
  nonisolated package enum EntryKind: String, Hashable, Sendable, CaseIterable {
    case conversation, contact, room, action, command, setting, file, message

    /// The first character of a query that shows only these.
    package var prefix: Character {
      switch self {
      case .conversation, .contact: "@"
      case .room: "#"
      case .command: "/"
      case .action, .setting: "?"
      case .file: "~"
      case .message: "\""
      }
    }
  }

  /// A stable identifier, by which recently used entries come first.
  package let id: String
  package let kind: EntryKind
  package let title: String
  /// The detail after the title: an address, a command's description.
  package let detail: String
  /// The keys for the same action; empty for none.
  package let keys: String
  /// Synonyms for the search; never shown.
  package let keywords: String
  package let run: () -> Void

  package init(
    id: String, kind: EntryKind, title: String, detail: String = "", keys: String = "",
    keywords: String = "", run: @escaping () -> Void
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.detail = detail
    self.keys = keys
    self.keywords = keywords
    self.run = run
  }
}

/// The entries chosen in the palette, the most recent first.
package final class RecentChoices {
  private static let limit = 50

  private(set) var ids: [String] = []
  /// Called after each choice, to save it.
  package var onChange: (RecentChoices) -> Void = { _ in }

  package init() {}

  func used(_ id: String) {
    ids.removeAll { $0 == id }
    ids.insert(id, at: 0)
    if ids.count > Self.limit { ids.removeLast() }
    onChange(self)
  }

  /// One identifier per line: the saved form.
  package var text: String { ids.joined(separator: "\n") }

  /// Appends saved choices after those made since the start.
  package func recall(_ text: String) {
    var seen = Set(ids)
    ids += text.split(separator: "\n").map(String.init).filter { seen.insert($0).inserted }
    ids = Array(ids.prefix(Self.limit))
  }
}
