import XML
import XMPP

extension StanzaChannel {
  /// Sends a request, up to four times in immediate succession while the server returns temporary
  /// errors: ejabberd does so when several clients create nodes at the same moment.
  func insist(_ iq: Element) async throws -> Element {
    for _ in 0..<3 {
      do { return try await request(iq) } catch let error as StanzaError where error.isPassing {
        continue
      }
    }
    return try await request(iq)
  }
}
