import Sockets
import XML

/// The state of a session that outlives its connection, and the program (XEP-0198 §5).
extension XMPPStream {
  /// The state to resume this session on another connection, once this one broke and the consumers
  /// have handled its stanzas; `nil` if the session ended, or cannot be resumed.
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

  /// Stores in `keeper` all that a later run needs to resume the session, each change before any
  /// byte that depends on it is written. To be called before `run`.
  package func keep(in keeper: any ResumptionKeeping) {
    guard resumptionID != nil else { return }
    self.keeper = keeper
    unkept = underWay
  }

  /// Stores what has changed since the last time. After a failure it goes with the next change:
  /// with an older state the server refuses to resume, and a new session begins.
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

  /// Resumes a session: removes what was acknowledged, and sends the rest again.
  func resume(acknowledged ids: [String], open: ArraySlice<Element>) {
    if !ids.isEmpty { acknowledge.yield(ids) }
    for stanza in open {
      // The replies to the old connection's requests are not awaited any more.
      if stanza.name == "iq", ["get", "set"].contains(stanza["type"] ?? "") { continue }
      didSend(stanza)
      queue(writer.bytes(stanza))
    }
    if !management.unacknowledged.isEmpty { requestAcknowledgement() }
  }

  /// Stanzas that were dropped: their `from` or `to` is no address, or they exceed a limit.
  package var droppedStanzas: Int { ledger.dropped }

  /// Gives the connection up without a word, so that the session can be resumed on another.
  package func drop() async { transport.close() }
}
