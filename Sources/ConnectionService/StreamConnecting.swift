import NatterCore
import XMPP

/// Makes connections to an account's server, up to a bound session.
package protocol StreamConnecting: Sendable {
  /// - Throws: `ConnectionProblem`; `CancellationError` when the task was cancelled.
  func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream
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
  /// Closes it in order (`</stream:stream>`), or at once when the server does not answer.
  func close() async
  /// Why it ended; `nil` while it lives and after an orderly end.
  var endReason: StreamFailure? { get async }
}

extension XMPPStream: LiveStream {}
