extension Command {
  /// `/cancel`: drops the failed messages of this conversation.
  package static let cancel = Command("cancel") { _, context in context.cancelFailed() }
}
