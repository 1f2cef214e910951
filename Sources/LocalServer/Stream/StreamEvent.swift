import Crypto
import XMPP

/// Numbers a connection for as long as the server runs; a session has the number of the connection
/// that it began on.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  var description: String { String(number) }
}

/// What a client's bytes mean.
enum StreamEvent: Sendable {
  /// The stream header, an element without children, and the namespace that stanzas are in.
  case header(Element, defaultNamespace: String)
  case element(Element)
  /// `</stream:stream>`.
  case end
  /// The bytes are not what XMPP allows.
  case failure(StreamError)
}

/// What happens to the server from outside, one after the other.
enum ServerEvent: Sendable {
  case opened(ConnectionID)
  case received(ConnectionID, [StreamEvent])
  /// The connection is gone, in whatever way.
  case closed(ConnectionID)
  /// The operating system has taken these stored messages over, for a session that does not
  /// acknowledge.
  case written(ConnectionID, [Int64])
  /// The client has not signed in within its time.
  case negotiationTimedOut(ConnectionID)
  /// The client does not read what is sent to it.
  case overflowed(ConnectionID)
  /// A session whose connection broke was not taken up again within its time; `closures` is how
  /// often that connection had closed by then.
  case resumptionTimedOut(ConnectionID, closures: Int)
  /// Somebody wants an account and is on no stream.
  case newcomer(Newcomer)
  /// The server ends.
  case shutdown
}

/// Somebody who asks for an account over HTTP.
struct Newcomer: Sendable {
  /// Tells two who ask for the same apart.
  let id = randomIdentifier()
  let name: String
  let password: String
  /// What proves that they own the server's data.
  let key: String?
}

extension ServerEvent {
  /// The event in the smallest parts that can be followed one after the other.
  var parts: [ServerEvent] {
    guard case .received(let connection, let events) = self else { return [self] }
    return events.map { .received(connection, [$0]) }
  }
}
