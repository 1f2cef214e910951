import NatterCore

extension Command {
  /// `/status [online|away|xa|dnd|busy|chat] [TEXT]`: sets one's own presence; without words, tells how the connection is.
  package static let status = Command("status", [.availability, .text]) { call, context in
    let (word, text) = call.split
    guard !word.isEmpty else { return context.showConnection() }
    guard let availability = availabilityNames[word.lowercased()] else {
      throw NatterError(.invalidInput, "error.unknownStatus", ["name": word])
    }
    context.setPresence(availability, status: text.isEmpty ? nil : text)
  }

  /// `/away [TEXT]`: tells everybody that one is away, and why.
  package static let away = Command("away", [.text]) { call, context in
    context.setPresence(.away, status: call.rest.isEmpty ? nil : call.rest)
  }

  /// `/back`: tells everybody that one is there again.
  package static let back = Command("back") { _, context in
    context.setPresence(.online, status: nil)
  }

  /// What `/status` takes, with the words of RFC 6121 §4.7.2.1 beside plain ones.
  nonisolated static let availabilityNames: [String: Availability] = [
    "online": .online, "back": .online, "chat": .chatty, "away": .away, "xa": .extendedAway,
    "busy": .busy, "dnd": .busy,
  ]
}
