import Crypto
import XML
import XMPP

/// The number of a connection, unique while the server runs. A session has the number of the
/// connection on which it began.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  var description: String { String(number) }
}

/// An event in the bytes of a client.
enum StreamEvent: Sendable {
  /// The stream header, an element without children, and the default namespace, that of stanzas.
  case header(Element, defaultNamespace: String)
  case element(Element)
  /// `</stream:stream>`.
  case end
  /// The bytes are not valid XMPP.
  case failure(StreamError)
}

/// An input of the server; events are handled one at a time.
enum ServerEvent: Sendable {
  case opened(ConnectionID)
  case received(ConnectionID, [StreamEvent])
  /// The connection is closed, for any reason.
  case closed(ConnectionID)
  /// The operating system accepted the bytes of these stored messages, for a session without stream
  /// management.
  case written(ConnectionID, [Int64])
  /// The client has not signed in before `ServerSettings.negotiation` elapsed.
  case negotiationTimedOut(ConnectionID)
  /// The client does not read what is sent to it.
  case overflowed(ConnectionID)
  /// A session was not resumed before `ServerSettings.resumption` elapsed; `closures` is the number
  /// of times that its connection had closed when the wait began.
  case resumptionTimedOut(ConnectionID, closures: Int)
  /// A request for an account that came without a stream.
  case newcomer(Newcomer)
  /// The server shuts down.
  case shutdown
}

/// A request for an account over HTTP.
struct Newcomer: Sendable {
  /// Distinguishes equal requests.
  let id = randomIdentifier()
  let name: String
  let password: String
  /// The proof that the user owns the server's data (`ServerSettings.ownerKey`).
  let key: String?
}

extension ServerEvent {
  /// The event, split into the smallest events that can be handled one at a time.
  var parts: [ServerEvent] {
    guard case .received(let connection, let events) = self else { return [self] }
    return events.map { .received(connection, [$0]) }
  }
}
