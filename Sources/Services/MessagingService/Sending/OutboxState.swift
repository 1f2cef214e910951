/// What the parts of one outbox share. All of them run in the isolation of the outbox, so none of
/// this changes except where one of them awaits.
final class OutboxState {
  var session = OutboxSession()
  /// The messages that the user sends again, by origin-id: they carry the time when they were
  /// written.
  var retried: Set<String> = []
}
