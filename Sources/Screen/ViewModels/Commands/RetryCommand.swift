extension Command {
  /// `/retry`: sends the failed messages of this conversation again.
  package static let retry = Command("retry") { _, context in context.retryFailed() }
}
