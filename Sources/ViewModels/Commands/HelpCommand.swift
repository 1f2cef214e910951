extension Command {
  /// `/help [TOPIC]`
  package static let help = Command("help", aliases: ["?"], [.topic]) { call, context in
    context.actions.showHelp(call.rest.isEmpty ? nil : call.rest)
  }
}
