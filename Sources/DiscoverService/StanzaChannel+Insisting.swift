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

extension StanzaError {
  /// Whether the server is only busy: what was asked may be done the next time (RFC 6120 §8.3.2).
  var isPassing: Bool {
    kind == .wait && (condition == .internalServerError || condition == .remoteServerTimeout)
  }
}
