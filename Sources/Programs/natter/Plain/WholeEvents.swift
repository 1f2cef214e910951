import NatterCore

/// Completes the shortened messages of events: line mode prints all of a text, because it has no
/// way to show the rest later.
struct WholeEvents {
  let timeline: any TimelineReading
  /// Reports a message that could not be read.
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
