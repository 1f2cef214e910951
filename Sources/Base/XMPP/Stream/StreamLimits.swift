/// The limits of what waits in a stream.
enum StreamLimits {
  /// Reading stops while more stanzas than this wait to be handled: a flood must not fill the
  /// memory.
  static let backlog = 20_000
  /// Reading stops while more bytes of stanzas than this wait to be handled.
  static let backlogBytes = 8 << 20
  /// A stream that brings more bytes than this before its session is complete is given up: nothing
  /// can be handled yet.
  static let earlyBytes = 32 << 20
  /// The most stanzas other than messages that are sent before the client requests an
  /// acknowledgement (XEP-0198 §4).
  static let unasked = 100
}
