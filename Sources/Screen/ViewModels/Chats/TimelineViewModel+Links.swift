import NatterCore

/// The glyphs that open links and files of the messages, while one is being chosen.
nonisolated package struct LinkHints: Hashable, Sendable {
  /// By the link as it is in the text.
  package var links: [String: Character] = [:]
  /// By the message that offers the file.
  package var files: [Message.ID: Character] = [:]

  package init() {}

  package var isEmpty: Bool { links.isEmpty && files.isEmpty }
}

// The messages in sight.
extension TimelineViewModel {
  /// Takes what the pane has drawn.
  package func drew(_ items: ArraySlice<TimelineItem>) {
    inSight = Set(
      items.compactMap { if case .message(let id) = $0.id { id } else { nil } })
    sawFailures(among: items)
    decorations.see(items, in: self)
  }

  /// The loaded messages whose links can be opened: visible ones first, each part newest first.
  var messagesWithLinks: [Message] {
    window.messages.filter { inSight.contains($0.id) }.reversed()
      + recentMessages.filter { !inSight.contains($0.id) }
  }
}
