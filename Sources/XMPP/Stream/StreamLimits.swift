/// The limits of what a stream lets wait.
enum StreamLimits {
  /// Reading stops while more stanzas than this wait to be handled: a flood must not fill the memory.
  static let backlog = 20_000
  /// Reading stops while more bytes of stanzas than this wait to be handled.
  static let backlogBytes = 8 << 20
  /// Stanzas other than messages that may be sent before the server is asked whether it has them (XEP-0198 §4).
  static let unasked = 100
}
