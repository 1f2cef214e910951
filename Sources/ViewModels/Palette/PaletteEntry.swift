/// Something the palette can go to or do.
package struct PaletteEntry {
  /// What it is: decides its sign and which prefix narrows to it.
  nonisolated package enum Kind: String, Hashable, Sendable, CaseIterable {
    case conversation, contact, room, action, command, setting, file

    /// What is typed first to see only these.
    package var prefix: Character {
      switch self {
      case .conversation, .contact: "@"
      case .room: "#"
      case .command: "/"
      case .action, .setting: "?"
      case .file: "~"
      }
    }
  }

  /// Always the same for the same thing: what was used last comes first.
  package let id: String
  package let kind: Kind
  package let title: String
  /// What stands behind it: an address, what a command does.
  package let detail: String
  /// The keys that do the same; empty for none.
  package let keys: String
  /// Other words that somebody may look for it by; never shown.
  package let words: String
  package let run: () -> Void

  package init(
    id: String, kind: Kind, title: String, detail: String = "", keys: String = "",
    words: String = "", run: @escaping () -> Void
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.detail = detail
    self.keys = keys
    self.words = words
    self.run = run
  }
}

/// What was chosen in the palette, the last first.
package final class RecentChoices {
  private static let limit = 50

  private(set) var ids: [String] = []
  /// Called when something was chosen: to be kept.
  package var onChange: (RecentChoices) -> Void = { _ in }

  package init() {}

  func used(_ id: String) {
    ids.removeAll { $0 == id }
    ids.insert(id, at: 0)
    if ids.count > Self.limit { ids.removeLast() }
    onChange(self)
  }

  /// A line for each: what is kept.
  package var text: String { ids.joined(separator: "\n") }

  /// Puts what was kept behind what was chosen since the start.
  package func recall(_ text: String) {
    var seen = Set(ids)
    ids += text.split(separator: "\n").map(String.init).filter { seen.insert($0).inserted }
    ids = Array(ids.prefix(Self.limit))
  }
}
