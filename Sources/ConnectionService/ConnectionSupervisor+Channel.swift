import NatterCore
import XMPP

/// The services' channel: whatever connection there is.
extension ConnectionSupervisor {
  package func send(_ stanza: Element) async throws {
    guard let stream else { throw ChannelError.notConnected }
    try await stream.send(stanza)
  }

  package func request(_ iq: Element, timeout: Duration) async throws -> Element {
    guard let stream else { throw ChannelError.notConnected }
    return try await stream.request(iq, timeout: timeout)
  }

  /// Waits until what the server has sent in answer to all that was sent to it so far is dealt with.
  /// - Throws: `ChannelError`.
  package func settle(timeout: Duration) async throws {
    guard let stream else { throw ChannelError.notConnected }
    try await stream.settle(timeout: timeout)
  }

  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    guard let stream else { throw ChannelError.notConnected }
    return try await stream.archivePage(query, of: archive, timeout: timeout)
  }
}
