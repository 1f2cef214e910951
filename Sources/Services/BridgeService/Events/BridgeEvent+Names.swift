import NatterCore

extension BridgeEvent {
  /// Returns the names of the events that clients can receive because of a domain event.
  package static func wireNames(of event: DomainEvent) -> Set<String> {
    switch event {
    case .messagesStored, .historyStored: [messageNew.rawValue]
    default: Set(names(of: event).map(\.rawValue))
    }
  }
}
