import NatterCore
import Sockets
import XMPP

/// A maker of connections to an account's server, up to a bound session.
package protocol StreamConnecting: Sendable {
  /// Connects once, without resumption: requests no FAST token, and does not identify itself as the
  /// user agent that a lasting connection may have.
  /// - Throws: `ConnectionProblem`; `CancellationError` when the task was cancelled.
  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream
  /// Connects for a lasting session, and resumes the session `old` if the server still has it.
  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream
}

extension StreamConnecting {
  /// Connects with a new session, without resumption.
  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    try await connect(account, credential, resource: resource, progress: progress)
  }
}

/// A bound session on a connection: implemented by `XMPPStream`, and by substitutes in tests.
package protocol LiveStream: StanzaChannel {
  var session: Session { get }
  /// Reads and writes until the connection ends or the task is cancelled.
  func run() async
  /// The received stanzas, one batch for each read; ends with the connection.
  var incoming: AsyncStream<[Stanza]> { get }
  /// The ids of the client's stanzas as the server acknowledges them; ends with the connection.
  var acknowledged: AsyncStream<[String]> { get }
  /// Records that the consumers have handled `count` more stanzas (XEP-0198 `h`).
  func markHandled(_ count: Int) async
  /// Checks that the server responds (XEP-0198 `<r/>` or XEP-0199).
  /// - Throws: when no response came within `limit`.
  func probe(limit: Duration) async throws
  /// Waits until the server has answered on a session that was just resumed.
  /// - Throws: `ChannelError.timedOut` when the server does not react to the client's stanzas.
  func confirm(limit: Duration) async throws
  /// Closes the stream in order (`</stream:stream>`), or at once when the server does not answer.
  func close() async
  /// Drops the connection at once, so that another connection can resume the session.
  func drop() async
  /// `true` if it resumes the session of an earlier connection.
  var isResumed: Bool { get }
  /// The ids of stanzas of that session that the server reports as received, even if the session is
  /// gone.
  var acknowledgedEarlier: [String] { get }
  /// The ids of the client's stanzas that the server has not acknowledged.
  var unacknowledged: [String] { get async }
  /// The state that resuming the session takes once the connection broke; `nil` when it cannot be
  /// resumed.
  var resumption: StreamResumption? { get async }
  /// Informs the server if the user is active (XEP-0352), where the server supports it.
  func setActive(_ isActive: Bool) async
  /// Makes it store what a later run of the program needs to resume the session. Call it before
  /// `run`.
  func keep(in keeper: any ResumptionKeeping) async
  /// The server's change of the FAST token (XEP-0484); `nil`: no change.
  var tokenNews: TokenUpdate? { get }
  /// The number of stanzas that were dropped because their `from` or `to` is not a valid JID, or
  /// because they exceed a limit.
  var droppedStanzas: Int { get async }
  /// The properties of the connection; `nil` where they are not known.
  var details: ConnectionDetails? { get }
  /// The reason why it ended; `nil` while it is open and after an orderly end.
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
        // Without Bind 2, carbons may have been enabled by another step.
        hasCarbons: session.hasCarbons ? true : nil, resource: session.jid.resource ?? "")
    }
  }
}

/// The defaults for a stream whose session cannot be resumed.
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
