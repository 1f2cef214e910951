import NatterCore
import XML
import XMPP

/// The services' channel over the current connection.
extension ConnectionSupervisor {
  package func send(_ stanza: Element) async throws {
    guard let stream else { throw ChannelError.notConnected }
    try await stream.send(stanza)
    if stanza.name == "message" { wroteMessage?.yield() }
  }

  package func request(_ iq: Element, timeout: Duration) async throws -> Element {
    guard let stream else { throw ChannelError.notConnected }
    return try await stream.request(iq, timeout: timeout)
  }

  /// Requests the removal of the account (XEP-0077 §3.2), which a server answers, or follows by
  /// ending the stream: ejabberd with `<conflict/>` and a text, others with `<not-authorized/>`.
  /// - Throws: as `request`; `ChannelError.notConnected` where nothing shows that it was done.
  package func requestRemoval(_ iq: Element) async throws {
    guard let stream else { throw ChannelError.notConnected }
    do { _ = try await stream.request(iq, timeout: .seconds(30)) } catch ChannelError.notConnected {
      guard case .stream(let error)? = await stream.endReason, error.saysRemoved else {
        throw ChannelError.notConnected
      }
    }
  }

  /// Waits until the server's answers to everything that was sent so far are handled.
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

extension StreamError {
  /// `true` if it means, right after a removal request, that the account is gone. A client that
  /// replaces this one causes a conflict as well.
  fileprivate var saysRemoved: Bool {
    switch condition {
    case .notAuthorized: true
    case .conflict: text?.lowercased().contains("removed") == true
    default: false
    }
  }
}
