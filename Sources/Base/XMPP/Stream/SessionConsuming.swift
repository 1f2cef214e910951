/// The inbox of a service: the events of the account's connection, one at a time, in order.
///
/// The connection's owner awaits each call before the next, and acknowledges stanzas to the server
/// only when every consumer's `receive` for them has returned (XEP-0198 §4): by then their effect
/// is stored.
package protocol SessionConsuming: Sendable {
  /// A connection is up, for a new session or a resumed one; later stanzas arrive over it. The call
  /// must not wait.
  func connectionOpened() async
  /// A session is about to start, a new one or a resumed one: from now on, the user's requests can
  /// be sent.
  ///
  /// Every consumer has its channel before the first one begins its work in `sessionStarted`, which
  /// may wait for responses. This call itself must not wait.
  func channelOpened(_ channel: any StanzaChannel) async
  /// The session that is about to start already exists on the server: it is from an earlier run of
  /// the program, or was cut off at its beginning. Own stanzas of it, named by their `id`, are sent
  /// once more (XEP-0198 §5) and are acknowledged in this session. The call must not wait.
  func sessionTakenUp(underWay ids: [String]) async
  /// A session was bound, or is resumed by consumers that start over in it (`sessionTakenUp`).
  func sessionStarted(_ session: Session, over channel: any StanzaChannel) async
  /// The session continues over another connection (XEP-0198 §5): no stanza that was sent or
  /// arrived is lost, but the channel refused what was given to it in between.
  func sessionResumed() async
  /// Stanzas arrived; each consumer sees all of them and takes its own.
  ///
  /// In a cancelled task, an earlier consumer may have failed to store its own: nothing may be
  /// recorded then that takes them for stored.
  func receive(_ stanzas: [Stanza]) async
  /// The server has these stanzas of this client, named by their `id`.
  func serverAcknowledged(_ ids: [String]) async
  /// The server ended the connection because of something that it was sent
  /// (`StreamError.mayBlameStanza`); the session ends with it. The call must not wait for
  /// responses.
  func sessionRefused(_ error: StreamError) async
  /// The session is over, or was cut off at its beginning and may be resumed. Stanzas that were not
  /// acknowledged may or may not have arrived; after a resumption, `serverAcknowledged` or
  /// `sessionTakenUp` reports them.
  func sessionEnded() async
}

extension SessionConsuming {
  package func connectionOpened() async {}
  package func channelOpened(_ channel: any StanzaChannel) async {}
  package func sessionTakenUp(underWay ids: [String]) async {}
  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {}
  package func sessionResumed() async {}
  package func receive(_ stanzas: [Stanza]) async {}
  package func serverAcknowledged(_ ids: [String]) async {}
  package func sessionRefused(_ error: StreamError) async {}
  package func sessionEnded() async {}
}
