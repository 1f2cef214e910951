/// The limits of a client's lines and requests, for programs in between as well.
package enum BridgeLimits {
  /// The most bytes of a line.
  package static let line = 1 << 20
  /// The lines in a row without a JSON value after which a client is ended.
  package static let badLines = 20
  /// The requests that a client can have open.
  package static let open = 64
  /// The time after which a client with too many of them may ask again.
  package static let pause = Duration.milliseconds(50)
  /// How often a client may ask for anything.
  package static let requests = RateLimit(100, burst: 200)
  /// How often it may write a line to the log.
  package static let logging = RateLimit(20, burst: 20)
  /// The subscriptions that a client can have.
  package static let subscriptions = 32
  /// The most bytes of an id that is a text.
  package static let id = 64
  /// The most bytes of a text to send.
  package static let body = 1 << 19
  /// The most bytes of a `request_id`.
  package static let requestID = 128
}
