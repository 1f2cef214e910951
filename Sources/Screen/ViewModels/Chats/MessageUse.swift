import NatterCore
import Text

/// The actions available on a selected message.
nonisolated package enum MessageUse: Hashable, Sendable, CaseIterable {
  case open, copy, save, view, reply, edit, react, delete, retry

  /// - Parameters:
  ///   - message: the selected message; `nil`: none.
  ///   - hasLinks: whether its text contains links; `nil`: the text is parsed for them.
  ///   - canWrite: whether its conversation can be written to now.
  package static func of(_ message: Message?, hasLinks: Bool? = nil, canWrite: Bool) -> Set<
    MessageUse
  > {
    // A retracted message has no content left.
    guard let message, !message.isRetracted else { return [] }
    var uses: Set<MessageUse> = [.copy]
    if message.file != nil { uses.formUnion([.open, .save]) }
    if message.offersPicture { uses.insert(.view) }
    if message.isShortened || message.reply != nil || message.location != nil
      || hasLinks ?? !MessageMarkup.links(in: message.body).isEmpty
    {
      uses.insert(.open)
    }
    if case .failed = message.delivery { return uses.union([.retry, .delete]) }
    guard canWrite else { return uses }
    uses.formUnion([.reply, .react])
    if message.isOwnText { uses.insert(.edit) }
    if message.direction == .outgoing { uses.insert(.delete) }
    return uses
  }
}

extension MessageUse {
  /// Returns the actions available on the selected message.
  @MainActor package static func ofChosen(in shell: ShellViewModel) -> Set<MessageUse> {
    // The rows know their links: this avoids parsing the text for each frame.
    let row = shell.timeline.items.last(where: \.isSelected)
    return of(
      shell.timeline.selectedMessage,
      hasLinks: row?.spans.contains(where: \.isLink) ?? false,
      canWrite: shell.ports.relating != nil
        && shell.activeConversation.map { shell.obstacle(to: $0) == nil } ?? false)
  }
}
