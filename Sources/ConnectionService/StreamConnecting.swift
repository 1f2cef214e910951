import NatterCore
import Sockets
import XMPP

/// Makes connections to an account's server, up to a bound session.
package protocol StreamConnecting: Sendable {
  /// For one visit: nothing is kept to come back with, and no name is used that a lasting connection may have.
  /// - Throws: `ConnectionProblem`; `CancellationError` when the task was cancelled.
  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream
  /// To stay, going on with the session `old` where the server still has it.
  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream
}

extension StreamConnecting {
  /// Connections that always begin a new session.
  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    try await connect(account, credential, resource: resource, progress: progress)
  }
}

/// A bound session on a connection: what `XMPPStream` is, and what tests put in its place.
package protocol LiveStream: StanzaChannel {
  var session: Session { get }
  /// Reads and writes until the connection ends or the task is cancelled.
  func run() async
  /// What arrives, all that one read brought at a time; ends with the connection.
  var incoming: AsyncStream<[Stanza]> { get }
  /// The ids of stanzas of ours as the server acknowledges them; ends with the connection.
  var acknowledged: AsyncStream<[String]> { get }
  /// Tells the stream that the consumers are done with `count` more stanzas (XEP-0198 `h`).
  func markHandled(_ count: Int) async
  /// Asks the server for a sign of life (XEP-0198 `<r/>` or XEP-0199).
  /// - Throws: when none came within `limit`.
  func probe(limit: Duration) async throws
  /// Waits until the server has answered on a session that was just resumed.
  /// - Throws: `ChannelError.timedOut` when it does not hear what is sent to it.
  func confirm(limit: Duration) async throws
  /// Waits until the server has answered a ping (XEP-0199) and the consumers are done with all that came before the answer: a
  /// server that refuses a stanza at once has said so by then (RFC 6120 §10.1).
  /// - Throws: `ChannelError`.
  func settle(timeout: Duration) async throws
  /// Closes it in order (`</stream:stream>`), or at once when the server does not answer.
  func close() async
  /// Gives the connection up at once, so that the session can be resumed on another.
  func drop() async
  /// Whether it goes on with the session of a connection before.
  var isResumed: Bool { get }
  /// Ids of stanzas of that session that the server says it had, be it gone or not.
  var acknowledgedEarlier: [String] { get }
  /// Ids of own stanzas that the server has not acknowledged.
  var unacknowledged: [String] { get async }
  /// What it takes to resume the session, once the connection broke; `nil` when it cannot be.
  var resumption: StreamResumption? { get async }
  /// Tells the server whether a person looks (XEP-0352), where it wants to know.
  func setActive(_ isActive: Bool) async
  /// Has it kept what a later run of the program needs to resume the session. Before `run`.
  func keep(in keeper: any ResumptionKeeping) async
  /// What the server did about the token to come back with (XEP-0484); `nil`: nothing.
  var tokenNews: TokenUpdate? { get }
  /// Stanzas that were dropped because their `from` or `to` is no address.
  var droppedStanzas: Int { get async }
  /// How it was made; `nil` where that is not known.
  var details: ConnectionDetails? { get }
  /// Why it ended; `nil` while it lives and after an orderly end.
  var endReason: StreamFailure? { get async }
}

extension XMPPStream: LiveStream {
  package nonisolated var details: ConnectionDetails? {
    connection.endpoint.map { endpoint in
      ConnectionDetails(
        host: endpoint.host, port: endpoint.port, tlsVersion: connection.tlsVersion,
        tlsCipher: connection.tlsCipher, mechanism: mechanism,
        channelBinding: proof?.binding?.rawValue,
        hasStreamManagement: session.hasStreamManagement,
        // Without this step another one may have turned them on.
        hasCarbons: session.hasCarbons ? true : nil, resource: session.jid.resource ?? "")
    }
  }
}

/// A stream whose session cannot be resumed.
extension LiveStream {
  package func drop() async { await close() }
  package func confirm(limit: Duration) async throws {}
  package func settle(timeout: Duration) async throws {}
  package var isResumed: Bool { false }
  package var acknowledgedEarlier: [String] { [] }
  package var unacknowledged: [String] { [] }
  package var resumption: StreamResumption? { nil }
  package var tokenNews: TokenUpdate? { nil }
  package var details: ConnectionDetails? { nil }
  package var droppedStanzas: Int { 0 }
  package func setActive(_ isActive: Bool) async {}
  package func keep(in keeper: any ResumptionKeeping) async {}
}
