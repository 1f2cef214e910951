import NatterCore

extension AsyncStream<DomainEvent> {
  /// Returns the events that were published so far: reads up to a marker that this call publishes
  /// itself.
  package func published(on hub: EventHub) async -> [DomainEvent] {
    let marker = DomainEvent.notice(StatusNotice(.info, "end-of-what-was-published"))
    hub.publish(marker)
    var seen: [DomainEvent] = []
    for await event in self {
      if event == marker { break }
      seen.append(event)
    }
    return seen
  }
}
