/// The state that the parts of one outbox share. All of them run in the isolation of the outbox, so
/// it does not change except where one of them awaits.
final class OutboxState {
  var session = OutboxSession()
  /// The messages that the user sends again, by origin-id: they carry the time when they were
  /// written.
  var retried: Set<String> = []

  /// Indicates whether a message is sent when the server acknowledges the stanza with its id.
  func isSent(byAcknowledging id: String) -> Bool {
    guard !session.refused.contains(id), session.rooms[id] == nil else { return false }
    return session.channel == nil || session.written.contains(id) || retried.contains(id)
  }
}
