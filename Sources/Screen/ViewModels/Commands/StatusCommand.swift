import NatterCore

extension Command {
  /// `/status [online|away|xa|dnd|busy|chat] [TEXT]`: sets the own presence; without arguments,
  /// shows the connection state.
  package static let status = Command("status", [.availability, .text]) { call, context in
    let (word, text) = call.split
    guard !word.isEmpty else { return context.showConnection() }
    context.setPresence(try Availability(typed: word), status: text.isEmpty ? nil : text)
  }

  /// `/away [TEXT]`: sets the presence to away, with a status message.
  package static let away = Command("away", [.text]) { call, context in
    context.setPresence(.away, status: call.rest.isEmpty ? nil : call.rest)
  }

  /// `/back [TEXT]`: sets the presence to online, with a status message.
  package static let back = Command("back", aliases: ["online"], [.text]) { call, context in
    context.setPresence(.online, status: call.rest.isEmpty ? nil : call.rest)
  }
}

extension Availability {
  /// The values of `/status`: those of RFC 6121 §4.7.2.1, and plain ones.
  nonisolated package static let typedNames: [String: Availability] = [
    "online": .online, "back": .online, "chat": .chatty, "away": .away, "xa": .extendedAway,
    "busy": .busy, "dnd": .busy,
  ]

  /// Reads the value of `/status` that the user typed.
  /// - Throws: `NatterError` if no availability has that name.
  nonisolated package init(typed word: String) throws {
    guard let availability = Self.typedNames[word.lowercased()] else {
      throw NatterError(.invalidInput, "error.unknownStatus", ["name": word])
    }
    self = availability
  }
}
