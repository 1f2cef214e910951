/// The own presence that the next session is to send: the server forgets it with each session, so
/// that it stays pending for as long as it is not the default.
package struct PresenceChange: PendingChange {
  package static let kind = PendingChangeKind.presence

  package let availability: Availability
  package let status: String?
  package let priority: Int

  package init(_ presence: OwnPresence) {
    (availability, status, priority) = (presence.availability, presence.status, presence.priority)
  }

  package var subject: [String] { [] }

  package var presence: OwnPresence {
    OwnPresence(availability: availability, status: status, priority: priority)
  }
}
