import Sockets

/// What outlives a connection, and the program that has it (XEP-0198 §5).
extension XMPPStream {
  /// Has everything that a later run of the program needs to resume the session kept in `keeper`, each change before a
  /// byte is written that depends on it. To be called before `run`.
  package func keep(in keeper: any ResumptionKeeping) {
    guard resumptionID != nil else { return }
    self.keeper = keeper
    unkept = underWay
  }

  /// What has changed since the session was last kept; `nil`: nothing.
  func takeChange() -> ResumptionChange? {
    guard keeper != nil, !isClosing, let resumptionID,
      kept?.handled != management.handled || kept?.sent != management.sent
    else { return nil }
    defer {
      kept = (management.handled, management.sent)
      unkept = []
    }
    return ResumptionChange(
      isFirst: kept == nil, id: resumptionID, jid: session.jid, location: location,
      handled: management.handled, sent: management.sent, appended: unkept,
      openCount: underWay.count)
  }

  /// Goes on with a session: tells what arrived, and sends again what did not.
  func goOn(acknowledged ids: [String], open: ArraySlice<Element>) {
    if !ids.isEmpty { acknowledge.yield(ids) }
    for stanza in open {
      // Nobody waits for the answers to the old connection's questions.
      if stanza.name == "iq", ["get", "set"].contains(stanza["type"] ?? "") { continue }
      didSend(stanza)
      queue(writer.bytes(stanza))
    }
    if !management.unacknowledged.isEmpty { requestAcknowledgement() }
  }

  /// Gives the connection up without a word, so that the session can be resumed on another.
  package func drop() async { transport.close() }
}
