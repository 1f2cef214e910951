extension Command {
  /// `/quit`: ends the program.
  package static let quit = Command("quit", aliases: ["exit"]) { _, context in
    context.actions.quit()
  }
}
