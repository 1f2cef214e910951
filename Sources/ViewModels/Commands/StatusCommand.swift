import NatterCore

extension Command {
  /// `/status [online|away|xa|busy|chat] [TEXT]`: sets one's own presence; without words, tells how the connection is.
  package static let status = Command("status", [.availability, .text]) { call, context in
    let (word, text) = call.split
    guard !word.isEmpty else { return context.showConnection() }
    guard let availability = availabilityNames[word.lowercased()] else {
      throw NatterError(.invalidInput, "error.unknownStatus", ["name": word])
    }
    context.setPresence(availability, status: text.isEmpty ? nil : text)
  }

  /// What `/status` takes, with the words of RFC 6121 §4.7.2.1 beside plain ones.
  nonisolated static let availabilityNames: [String: Availability] = [
    "online": .online, "back": .online, "chat": .chatty, "away": .away, "xa": .extendedAway,
    "busy": .busy, "dnd": .busy,
  ]
}
