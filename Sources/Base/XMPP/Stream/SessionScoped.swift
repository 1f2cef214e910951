/// The knowledge that a service has of one session: a value that is replaced as a whole when the
/// session ends, so that nothing of it is taken for knowledge of the next one.
///
/// `SessionConsuming.sessionTakenUp` adds to it before the session starts. A type that keeps
/// something for the next session implements `end` itself, and says why it does.
package protocol SessionScoped {
  /// The connection of the session; `nil` between two sessions.
  var channel: (any StanzaChannel)? { get }
  /// Creates the value of a session that has not started.
  init()
  /// Drops what belongs to the session, which is over.
  mutating func end()
}

extension SessionScoped {
  package mutating func end() { self = Self() }
}
