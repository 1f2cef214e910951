import Crypto

/// Archive queries: their results are kept from the consumers, who take what is live.
extension XMPPStream {
  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    let id = randomIdentifier()
    var query = query
    let wanted = query.page.limit
    if let size = pageSizes[archive.bare] { query.page.limit = min(wanted, size) }
    gathered[id] = GatheredResults(archive: archive.bare, isBackward: query.page.isBackward)
    defer { gathered[id] = nil }
    var iq = query.element(id: id)
    // Without an address it is for the own account (RFC 6120 §8.1.1.1).
    if archive.bare != session.jid.bare { iq["to"] = archive.bare.description }
    let answer: Element
    do { answer = try await request(iq, timeout: timeout) } catch let error as StanzaError {
      // What came before a refusal is stored before it counts, too.
      await consumersAreDone()
      throw error
    }
    let results = gathered[id] ?? GatheredResults(archive: archive.bare, isBackward: false)
    guard let page = XEP0313Page(answer, results) else {
      throw StanzaError(.cancel, .undefinedCondition)
    }
    // What did not fit would be sent in vain once more, and what fits easily may be more.
    if results.isCut {
      pageSizes[archive.bare] = max(1, results.results.count)
    } else if query.page.limit < wanted, results.weight < GatheredResults.byteLimit / 4 {
      pageSizes[archive.bare] = query.page.limit * 2
    }
    // What arrived before the answer is stored before the page is: a message that came live is news, though the archive
    // has it too.
    await consumersAreDone()
    return page
  }

  /// Takes a result of an archive query that is open, from the archive that was asked.
  /// - Returns: whether it was one.
  func gather(_ stanza: Stanza) -> Bool {
    guard case .message(let message) = stanza,
      let (id, result) = XEP0313Result.read(message), let open = gathered[id],
      message.sender.jid(ifAbsent: session.jid.bare) == open.archive
    else { return false }
    gathered[id]?.take(result, weighing: stanza.element.weight)
    return true
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
