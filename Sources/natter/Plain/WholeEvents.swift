import NatterCore

/// Line mode prints all of a text: nothing has to be asked for the rest of it.
struct WholeEvents {
  let timeline: any TimelineReading
  /// What could not be read.
  let report: @MainActor (any Error) -> Void

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
      do { found.append(try await timeline.whole(message)) } catch {
        // Its beginning is here.
        found.append(message)
        report(error)
      }
    }
    return found
  }
}
