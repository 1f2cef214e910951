import NatterCore

extension Command {
  /// `/logout`: asks what becomes of the messages here, then signs out and forgets the secret.
  package static let logout = Command("logout") { _, context in context.actions.signOut() }
}
