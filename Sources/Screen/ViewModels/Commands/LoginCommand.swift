extension Command {
  /// `/login`: opens the sign-in form.
  package static let login = Command("login") { _, context in context.actions.signIn() }
}
