import NatterCore

/// Line mode prints all of a text: nobody has to ask for the rest of it.
extension PlainSession {
  /// The event with whole messages.
  func whole(_ event: DomainEvent) async -> DomainEvent {
    switch event {
    case .messagesStored(let messages): .messagesStored(await whole(messages))
    case .historyStored(let messages, let missed):
      .historyStored(await whole(messages), missed: missed)
    case .messagesChanged(let messages): .messagesChanged(await whole(messages))
    default: event
    }
  }

  func whole(_ messages: [Message]) async -> [Message] {
    var found: [Message] = []
    for message in messages {
      do { found.append(try await ports.timeline.whole(message)) } catch {
        // Its beginning is here.
        found.append(message)
        report(error)
      }
    }
    return found
  }
}
