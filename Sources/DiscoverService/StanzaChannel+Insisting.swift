import XMPP

extension StanzaChannel {
  /// Asks, and once more at once where the server was only busy: ejabberd is where several make nodes at the same moment.
  func insist(_ iq: Element) async throws -> Element {
    for _ in 0..<3 {
      do { return try await request(iq) } catch let error as StanzaError where error.isPassing {
        continue
      }
    }
    return try await request(iq)
  }
}
