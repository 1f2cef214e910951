import NatterCore

extension Command {
  /// `/logout`: asks what happens to the stored messages, then signs out and deletes the secret.
  package static let logout = Command("logout") { _, context in context.actions.signOut() }
}
