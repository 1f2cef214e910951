import NatterCore

/// What can be done with a message that is chosen.
nonisolated package enum MessageUse: Hashable, Sendable, CaseIterable {
  case open, copy, save, view, reply, edit, react, delete, retry

  /// - Parameters:
  ///   - message: the one that is chosen; `nil`: none is.
  ///   - canWrite: whether something can be said in its conversation now.
  package static func of(_ message: Message?, canWrite: Bool) -> Set<MessageUse> {
    guard let message else { return [] }
    guard !message.isRetracted else { return [.copy] }
    var uses: Set<MessageUse> = [.copy]
    if message.file != nil { uses.formUnion([.open, .save]) }
    if message.offersPicture { uses.insert(.view) }
    if message.reply != nil || !MessageMarkup.links(in: message.body).isEmpty { uses.insert(.open) }
    if case .failed = message.delivery { return uses.union([.retry, .delete]) }
    guard canWrite else { return uses }
    uses.formUnion([.reply, .react])
    if message.isOwnWords { uses.insert(.edit) }
    if message.direction == .outgoing { uses.insert(.delete) }
    return uses
  }
}

extension ShellViewModel {
  /// What can be done with the chosen message.
  package var messageUses: Set<MessageUse> {
    MessageUse.of(
      timeline.selectedMessage,
      canWrite: ports.relating != nil && activeConversation.map { obstacle(to: $0) == nil } ?? false
    )
  }
}
