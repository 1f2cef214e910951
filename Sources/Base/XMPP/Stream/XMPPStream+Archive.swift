import Crypto
import XML

/// Archive queries: their results are kept from the consumers, who take what is live.
extension XMPPStream {
  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    let id = randomIdentifier()
    var iq = archiveQueries.begin(query, of: archive.bare, id: id).element(id: id)
    var gathered: GatheredResults?
    defer { if gathered == nil { _ = archiveQueries.end(id) } }
    // Without an address it is for the own account (RFC 6120 §8.1.1.1).
    if archive.bare != session.jid.bare { iq["to"] = archive.bare.description }
    let answer: Element
    do { answer = try await request(iq, timeout: timeout) } catch let error as StanzaError {
      // What came before a refusal is stored before it counts, too.
      await consumersAreDone()
      throw error
    }
    gathered = archiveQueries.end(id)
    guard let gathered, let page = XEP0313Page(answer, gathered) else {
      throw StanzaError(.cancel, .undefinedCondition)
    }
    // What arrived before the reply is stored before the page: a live message is new, even if the
    // archive has it, too.
    await consumersAreDone()
    return page
  }

  /// Takes a result of an archive query that is open, from the archive that was asked.
  /// - Returns: whether it was one.
  func gather(_ stanza: Stanza) -> Bool {
    guard case .message(let message) = stanza else { return false }
    return archiveQueries.take(message, ofAccount: session.jid.bare)
  }

  /// Waits until the consumers are done with all that was delivered so far, or the connection ends.
  func consumersAreDone() async {
    let count = delivered
    guard done < count, !hasEnded else { return }
    arrived.hurry(true)
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  func releaseWaiting() {
    for (count, continuation) in waiting where hasEnded || count <= done { continuation.resume() }
    waiting.removeAll { hasEnded || $0.count <= done }
    arrived.hurry(!waiting.isEmpty)
  }
}
