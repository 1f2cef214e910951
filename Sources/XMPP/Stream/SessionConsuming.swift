/// A service's inbox: what happens on the account's connection, one thing at a time, in order.
///
/// The connection's owner awaits each call before it makes the next one, and tells the server that stanzas are
/// handled only when every consumer's `receive` for them has returned (XEP-0198 §4): by then their effect is stored.
package protocol SessionConsuming: Sendable {
  /// A connection stands, for a new session or for one that goes on: what arrives next arrives over it. It must not wait.
  func connectionOpened() async
  /// A session is about to be announced, a new one or one that is taken up: from here on what the person asks for can be sent.
  ///
  /// Every consumer has its way to the server before the first one begins its work of `sessionStarted`, which may wait
  /// for answers. It must not wait itself.
  func channelOpened(_ channel: any StanzaChannel) async
  /// The session that is about to start is one that the server has already, of an earlier run of the program or cut off at its
  /// beginning: own stanzas of it, named by their `id`, are on their way once more (XEP-0198 §5), and are acknowledged in this
  /// one. It must not wait.
  func sessionTakenUp(underWay ids: [String]) async
  /// A session was bound, or is taken up.
  func sessionStarted(_ session: Session, over channel: any StanzaChannel) async
  /// The session goes on over another connection (XEP-0198 §5): nothing that was sent or arrived is lost, but what was
  /// given to the channel meanwhile was refused.
  func sessionResumed() async
  /// Stanzas arrived; each consumer sees all of them and takes what is its own.
  func receive(_ stanzas: [Stanza]) async
  /// The server has these stanzas of ours, named by their `id`.
  func serverAcknowledged(_ ids: [String]) async
  /// The server ended the connection over something that it was sent (`StreamError.mayBlameStanza`); the session ends with
  /// it. It must not wait for answers.
  func sessionRefused(_ error: StreamError) async
  /// The session is over, or was cut off at its beginning and may be taken up: what was not acknowledged may or may not have arrived,
  /// and is told of in `serverAcknowledged` or `sessionTakenUp` if it is taken up.
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
