import NatterCore

/// The rates that limit what a client asks for (interface.md, "Access for programs").
struct SessionRates: Sendable {
  /// All requests.
  var requests = RateLimit(100, burst: 200)
  /// Requests that send or change messages, besides.
  var sending = RateLimit(10, burst: 10)
  /// Lines for the log.
  var logging = RateLimit(20, burst: 20)
}
