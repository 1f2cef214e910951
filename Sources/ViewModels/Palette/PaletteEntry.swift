/// Something the palette can go to or do.
package struct PaletteEntry {
  /// What it is: decides its sign and which prefix narrows to it.
  nonisolated package enum Kind: String, Hashable, Sendable, CaseIterable {
    case conversation, contact, room, action, command, setting

    /// What is typed first to see only these.
    package var prefix: Character {
      switch self {
      case .conversation, .contact: "@"
      case .room: "#"
      case .command: "/"
      case .action, .setting: "?"
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
  package let run: () -> Void

  package init(
    id: String, kind: Kind, title: String, detail: String = "", keys: String = "",
    run: @escaping () -> Void
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.detail = detail
    self.keys = keys
    self.run = run
  }
}

/// What was chosen in the palette, the last first; for as long as the program runs.
package final class PaletteMemory {
  private(set) var ids: [String] = []
  package init() {}

  func used(_ id: String) {
    ids.removeAll { $0 == id }
    ids.insert(id, at: 0)
    if ids.count > 50 { ids.removeLast() }
  }
}
