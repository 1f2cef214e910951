extension Command {
  /// `/help [TOPIC]`: opens the help.
  package static let help = Command("help", aliases: ["?", "h"], [.topic]) { call, context in
    context.actions.showHelp(call.rest.isEmpty ? nil : call.rest)
  }
}
