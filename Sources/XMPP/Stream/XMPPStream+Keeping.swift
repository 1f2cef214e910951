import Sockets

/// What outlives a connection, and the program that has it (XEP-0198 §5).
extension XMPPStream {
  /// What it takes to go on with this session on another connection, once this one broke and the consumers are done with
  /// what it brought; `nil` when it was ended in order, or by the server for a reason, or cannot be resumed.
  package var resumption: StreamResumption? {
    guard let resumptionID, !isClosing else { return nil }
    switch endReason {
    case .socket, .ended: break
    default: return nil
    }
    return StreamResumption(
      id: resumptionID, session: session, handled: management.handled, sent: management.sent,
      unacknowledged: underWay, location: location)
  }

  /// Has everything that a later run of the program needs to resume the session kept in `keeper`, each change before a
  /// byte is written that depends on it. To be called before `run`.
  package func keep(in keeper: any ResumptionKeeping) {
    guard resumptionID != nil else { return }
    self.keeper = keeper
    unkept = underWay
  }

  /// Has kept what has changed since the session was last kept. What cannot be kept goes with the next change: a later run that
  /// finds the older state is refused by the server, and begins anew.
  func keepChange() async {
    guard let keeper, !isClosing, let resumptionID,
      kept?.handled != management.handled || kept?.sent != management.sent
    else { return }
    let change = ResumptionChange(
      isFirst: kept == nil, id: resumptionID, jid: session.jid, location: location,
      handled: management.handled, sent: management.sent, appended: unkept.suffix(underWay.count),
      openCount: underWay.count)
    let before = kept
    kept = (change.handled, change.sent)
    unkept = []
    do { try await keeper.keep(change) } catch {
      kept = before
      unkept = change.appended + unkept
    }
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

  /// Stanzas that were dropped because their `from` or `to` is no address.
  package var droppedStanzas: Int { ledger.dropped }

  /// Gives the connection up without a word, so that the session can be resumed on another.
  package func drop() async { transport.close() }
}
