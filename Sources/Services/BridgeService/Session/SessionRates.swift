import NatterCore

/// The rates that limit what a client asks for (interface.md, "Access for programs").
struct SessionRates: Sendable {
  /// All requests.
  private var requests = BridgeLimits.requests
  /// Requests that send or change messages, besides.
  private var sending: RateLimit
  /// Requests that change contacts, presence or rooms, by kind; others see each of them.
  private var changes: [BridgeMethod.Change: RateLimit] = [:]
  /// Lines for the log.
  var logging = BridgeLimits.logging

  init(_ limits: ClientLimits) {
    sending = RateLimit(limits.rate, burst: limits.burst)
    guard let rate = limits.changes else { return }
    for kind in BridgeMethod.Change.allCases {
      changes[kind] = RateLimit(rate.rate, burst: rate.burst)
    }
  }

  /// Counts a request.
  /// - Parameters:
  ///   - open: the number of requests that are being performed.
  ///   - now: of a clock that never goes back.
  /// - Throws: `BridgeError.Code.tooFast`.
  mutating func take(
    _ method: BridgeMethod, open: Int, at now: Duration
  ) throws(BridgeError) {
    if let pause = requests.take(at: now) { throw .tooFast(pause) }
    guard open < BridgeLimits.open else { throw .tooFast(BridgeLimits.pause) }
    if method.isSending, let pause = sending.take(at: now) { throw .tooFast(pause) }
    if let kind = method.change, let pause = changes[kind]?.take(at: now) {
      throw .tooFast(pause)
    }
  }
}
